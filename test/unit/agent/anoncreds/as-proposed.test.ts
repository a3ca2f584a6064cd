/** Whether a proof request asks for what this agent proposed: only such a request is answered without a call. */
import type { AgentContext } from '@credo-ts/core'
import { DidCommAttachment, type DidCommProofExchangeRecord } from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { AnonCredsProofFormat, IndyProofFormat } from '../../../../lib/agent/formats/anoncreds/index.ts'

const OWN = { cred_def_id: 'did:memory:university/definition/degree' }
const OTHER = { cred_def_id: 'did:memory:bank/definition/account' }

const asking = (restrictions: object[] | undefined, more: object = {}) => ({
  nonce: '1',
  requested_attributes: { one: { name: 'name', restrictions } },
  requested_predicates: { two: { name: 'age', p_type: '>=', p_value: 18, restrictions } },
  ...more,
})

const attached = (json: object) =>
  new DidCommAttachment({ data: { base64: Buffer.from(JSON.stringify(json)).toString('base64') } })

describe.each([
  ['anoncreds', new AnonCredsProofFormat()],
  ['indy', new IndyProofFormat()],
])('in %s', (_, format) => {
  const isAsProposed = (proposed: object, requested: object) =>
    format.shouldAutoRespondToRequest({} as AgentContext, {
      proofRecord: {} as DidCommProofExchangeRecord,
      proposalAttachment: attached(proposed),
      requestAttachment: attached(requested),
    })

  test.each([
    ['the proposed restriction', [OWN], [OWN], true],
    ['the proposed restrictions in another order', [OWN, OTHER], [OTHER, OWN], true],
    ['no restriction, as proposed', [], undefined, true],
    ['another restriction', [OWN], [OTHER], false],
    ['one restriction more, which is an alternative', [OWN], [OWN, OTHER], false],
    ['no restriction', [OWN], [], false],
    ['one that any credential meets', [OWN], [OWN, {}], false],
    ['a restriction where none was proposed', [], [OTHER], false],
  ])('a request with %s', async (_, proposed, requested, expected) => {
    expect(await isAsProposed(asking(proposed), asking(requested))).toBe(expected)
  })

  test.each([
    ['no interval of revocation', { non_revoked: null }, true],
    ['an interval without an end', { non_revoked: { from: 1, to: null } }, false],
    ['no restrictions', { requested_attributes: { one: { name: 'name', restrictions: null } } }, true],
    ['no referents', { requested_attributes: null }, false],
  ])('a request with null for %s', async (_, more, expected) => {
    expect(await isAsProposed(asking(undefined), asking(undefined, more))).toBe(expected)
  })

  test('a request with another interval of revocation', async () => {
    const requested = asking([OWN], { non_revoked: { from: 1, to: 1 } })
    expect(await isAsProposed(asking([OWN]), requested)).toBe(false)
  })
})
