/** What both versions of present-proof do without an API call. */
import { CredoError } from '@credo-ts/core'
import {
  DidCommAutoAcceptProof,
  DidCommProofExchangeRecord,
  DidCommProofRole,
  DidCommProofState,
  DidCommProofV2Protocol,
} from '@credo-ts/didcomm'
import { expect, test, vi } from 'vitest'
import { proofChecks, proposalViolation } from '../../../../lib/agent/exchanges/proofs/checks.ts'
import { proofProtocols } from '../../../../lib/agent/exchanges/proofs/protocols.ts'
import { AgentError } from '../../../../lib/errors.ts'
import { BASE_AGENT } from '../../../../lib/records/tenant.ts'
import { settings } from '../../../../lib/settings.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { useTable } from '../../store/use-table.ts'

await useTable({ memory: true, check: false })

/** Whether a request in two formats is answered without a call. Each of `responses` is that of a format. */
const answers = (
  autoAcceptProof: string | undefined,
  isAsProposed: () => Promise<boolean>,
  ...responses: (() => Promise<object>)[]
) => {
  const attached = responses.map((acceptRequest) => ({ format: { acceptRequest }, attachment: {} }))
  const checks = proofChecks(Object({}), Object({ request: () => attached, presentation: () => [] }))
  const options = Object({ proofRecord: { id: 'p', autoAcceptProof }, requestMessage: {} })
  return transaction(BASE_AGENT, () => checks.shouldAutoRespondToRequest(Object({}), options, isAsProposed))
}

const [asProposed, differs] = [async () => true, async () => false]
const responds = async () => ({ attachment: {}, format: {} })
const fails = (error: Error) => () => Promise.reject(error)

test.each([
  ['never', asProposed, [false, false]],
  ['always', asProposed, [true, true]],
  ['always', differs, [false, true]],
  ['contentApproved', asProposed, [true, true]],
  [undefined, asProposed, [false, true]],
] as const)(
  'by %s a request is answered without a call, and where the settings say so: %#',
  async (mode, is, expected) => {
    const before = settings().AUTO_ACCEPT_PROOF_REQUESTS
    try {
      for (const [index, accepts] of [false, true].entries()) {
        settings().AUTO_ACCEPT_PROOF_REQUESTS = accepts
        expect(await answers(mode, is, responds, responds)).toBe(expected[index])
      }
    } finally {
      settings().AUTO_ACCEPT_PROOF_REQUESTS = before
    }
  },
)

test.each([
  ['the wallet holds nothing that fits', new AgentError('request.invalid', 'nothing fits')],
  ['Credo cannot answer', new CredoError('no such credential')],
  ['there is no AnonCreds library', new AgentError('anoncreds.unavailable', 'no library')],
])('a request waits for a call where in one of its formats %s', async (_, error) => {
  expect(await answers('always', asProposed, responds, fails(error))).toBe(false)
})

test('a fault of our own is not taken for a request that waits', async () => {
  await expect(answers('always', asProposed, fails(new TypeError('not a function')))).rejects.toThrow(TypeError)
})

test.each([
  [true, { connectionId: 'c', isVerified: true }, undefined],
  [false, { connectionId: 'c', isVerified: false }, undefined],
  [false, { connectionId: 'c' }, undefined],
  [false, { isVerified: true }, undefined],
  [true, { isVerified: true }, {}],
])(
  '%s: a presentation of %o is acknowledged, where the message names the service %o',
  async (is, proofRecord, service) => {
    for (const [index, protocol] of proofProtocols().entries()) {
      const judge = vi.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(protocol)), 'shouldAutoRespondToPresentation')
      judge.mockResolvedValue(true)
      const presented = Object({ proofRecord, presentationMessage: { service } })
      expect([index, await protocol.shouldAutoRespondToPresentation(Object({}), presented)]).toEqual([index, is])
      judge.mockResolvedValue(false)
      expect(await protocol.shouldAutoRespondToPresentation(Object({}), presented)).toBe(false)
      judge.mockRestore()
    }
  },
)

test.each([
  ['attributes', { attributes: {}, predicates: [] }],
  ['predicates', { attributes: [], predicates: {} }],
])('a proposal whose %s are not a list has a violation', (_, presentationProposal) => {
  const violationOf = (preview: object) => proposalViolation(Object({ message: { presentationProposal: preview } }))
  expect(violationOf(presentationProposal)).toBe('attributes or predicates are not a list')
  expect(violationOf({ attributes: [], predicates: [] })).toBeUndefined()
})

test.each(['v1', 'v2'])('a proposal of %s is never answered by itself', async (version) => {
  const protocol = proofProtocols().find((one) => one.version === version)
  expect(await protocol?.shouldAutoRespondToProposal()).toBe(false)
})

test('a request without a proposal is none that was proposed', async () => {
  const [, v2] = proofProtocols()
  vi.spyOn(DidCommProofV2Protocol.prototype, 'findProposalMessage').mockResolvedValue(null)
  const options = Object({ proofRecord: { id: 'p', autoAcceptProof: 'always' }, requestMessage: {} })
  expect(await transaction(BASE_AGENT, () => v2.shouldAutoRespondToRequest(Object({}), options))).toBe(false)
})

test('of version 1 a request is compared with the proposal whatever its setting, which stays as it is', async () => {
  const [v1] = proofProtocols()
  const compare = vi.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(v1)), 'shouldAutoRespondToRequest')
  compare.mockResolvedValue(false)
  const proofRecord = new DidCommProofExchangeRecord({
    ...{ threadId: 't', protocolVersion: 'v1', autoAcceptProof: DidCommAutoAcceptProof.Always },
    ...{ state: DidCommProofState.RequestReceived, role: DidCommProofRole.Prover },
  })
  const options = Object({ proofRecord, requestMessage: {} })
  expect(await transaction(BASE_AGENT, () => v1.shouldAutoRespondToRequest(Object({}), options))).toBe(false)
  const compared = expect.objectContaining({ autoAcceptProof: 'contentApproved' })
  expect(compare).toHaveBeenCalledWith({}, expect.objectContaining({ proofRecord: compared }))
  expect(proofRecord.autoAcceptProof).toBe('always')
})
