/** AnonCreds presentations of a dishonest wallet: rejected with a reason, and never verified. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { askForAnonCreds, publish, WAYS, type Way } from '../support/anoncreds/asked-presentations.ts'
import { altered } from '../support/anoncreds/bare-library.ts'
import { type Asked, publishedByAll } from '../support/anoncreds/holder.ts'
import { HONEST } from '../support/anoncreds/honest-presentations.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { ATTACKS } from '../support/anoncreds/presentation-attacks.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { startTenantAndWallet, type TenantAndWallet } from '../support/stage/tenant-and-wallet.ts'

let started: TenantAndWallet

const ways = Object.keys(WAYS) as Way[]

const ask = (asked: Asked, way?: Way, fields?: Json) =>
  askForAnonCreds(started.stage, started.caller, started.wallet, asked, way, fields)

describeWithLibrary('a presentation of AnonCreds', () => {
  beforeAll(async () => {
    await publish(publishedByAll())
    started = await startTenantAndWallet()
  })
  afterAll(() => started.stop())

  test.each(HONEST)('is verified: $name', async ({ asked, answer }) => {
    const asking = await ask(asked)
    const proof = await asking.answer(answer(asking.request))
    expect(proof).toMatchObject({ state: 'done', isVerified: true })
    expect(proof.errorMessage).toBeUndefined()
  })

  // Each of them: test/unit/agent/anoncreds/verify-presentation.test.ts.
  test.each(ATTACKS.filter((_, at) => at % 8 === 0))('is not verified: $name', async ({ asked, answer, says }) => {
    const asking = await ask(asked)
    const proof = await asking.answer(answer(asking.request))
    expect(proof).toMatchObject({ state: 'abandoned', isVerified: false, errorMessage: says })
    expect(asking.answers[0]?.message).toMatchObject({ '@type': expect.stringContaining('problem-report') })
  })

  test.each(ways)('by %s is verified, and refused if it was altered', async (way) => {
    const [honest] = HONEST
    const lie = ATTACKS.find(({ name }) => name === 'a weaker predicate')
    if (honest === undefined || lie === undefined) throw new Error('there is nothing to present')
    const asking = await ask(honest.asked, way)
    const presentation = honest.answer(asking.request)
    const proof = await asking.answer(presentation)
    expect(proof).toMatchObject({ state: 'done', isVerified: true })
    expect(proof.presentation).toEqual({ [WAYS[way].asked]: presentation })

    const askingAgain = await ask(lie.asked, way)
    const lied = lie.answer(askingAgain.request)
    const refused = await askingAgain.answer(lied)
    expect(refused).toMatchObject({ state: 'abandoned', isVerified: false, errorMessage: lie.says })
    expect(refused.presentation).toEqual({ [WAYS[way].asked]: lied })
  })

  test('shows in form data what was asked for and is not revealed', async () => {
    const lie = ATTACKS.find(({ name }) => name === 'an attribute that is not revealed')
    if (lie === undefined) throw new Error('there is nothing to present')
    const asking = await ask(lie.asked)
    const { presentedAttributes, errorMessage } = await asking.answer(lie.answer(asking.request))
    expect(errorMessage).toBe('the attribute "r0" is not revealed')
    expect(presentedAttributes.anoncreds).toMatchObject({
      revealed: [],
      unrevealed: [{ referent: 'r0', name: 'degree' }],
    })
  })

  test('is asked for with an interval that begins where it ends', async () => {
    const asked = {
      requested_attributes: { r0: { name: 'degree', non_revoked: { from: 100, to: 100 } } },
      requested_predicates: { p0: { name: 'age', p_type: '>=', p_value: 18, non_revoked: { to: 150 } } },
      non_revoked: { to: 200 },
    }
    for (const way of ways) {
      const { request } = await ask(asked, way)
      expect(request).toMatchObject({
        requested_attributes: { r0: { non_revoked: { from: 100, to: 100 } } },
        requested_predicates: { p0: { non_revoked: { from: 150, to: 150 } } },
        non_revoked: { from: 200, to: 200 },
      })
    }
  })

  test('is not verified when it answered another request before', async () => {
    const [honest] = HONEST
    if (honest === undefined) throw new Error('there is nothing to present')
    const first = await ask(honest.asked)
    const presentation = honest.answer(first.request)
    expect(await first.answer(presentation)).toMatchObject({ state: 'done', isVerified: true })
    const second = await ask(honest.asked)
    expect(await second.answer(presentation)).toMatchObject({
      state: 'abandoned',
      isVerified: false,
      errorMessage: 'the proof is not valid',
    })
  })

  test('is not verified where there is nothing that it names, and not judged where this cannot be read here', async () => {
    const [honest] = HONEST
    for (const schema_id of ['did:memory:nobody/schema', 'did:unknown:method/schema']) {
      const asked = { requested_attributes: { r0: { name: 'degree' } } }
      const asking = await ask(asked)
      const presentation = altered(honest?.answer(asking.request) ?? {}, ({ identifiers: [identifier] }) => {
        identifier.schema_id = schema_id
      })
      const proof = await asking.answer(presentation)
      if (schema_id.includes('nobody'))
        expect(proof).toMatchObject({
          state: 'abandoned',
          isVerified: false,
          errorMessage: 'a schema of the presentation could not be read',
        })
      else {
        expect(proof).toMatchObject({ state: 'presentation-received' })
        expect(proof).not.toHaveProperty('isVerified')
      }
    }
  })

  test('in one of two requested formats waits for an API call', async () => {
    const [honest] = HONEST
    if (honest === undefined) throw new Error('there is nothing to present')
    const format = { name: 'p', version: '1.0', ...honest.asked }
    const asking = await ask(honest.asked, 'v2 anoncreds', {
      autoAcceptProof: 'contentApproved',
      willConfirm: true,
      proofFormats: { indy: format, anoncreds: format },
    })
    const proof = await asking.answer(honest.answer(asking.request))
    expect(proof).toMatchObject({ state: 'presentation-received', isVerified: true })
    expect(Object.keys(proof.presentation)).toEqual(['anoncreds'])
  })

  test('is verified when it is repeated after an internal error', async () => {
    const { registries } = await import('../../lib/agent/formats/anoncreds/registries.ts')
    const { AgentError } = await import('../../lib/errors.ts')
    const registry = registries.find(({ supportedIdentifier }) => supportedIdentifier.test('did:memory:trusted'))
    const [honest] = HONEST
    if (registry === undefined || honest === undefined) throw new Error('there is nothing to read')
    const failure = vi.spyOn(registry, 'getSchema')
    failure.mockRejectedValueOnce(new AgentError('store.unavailable', 'DynamoDB is unavailable'))
    const asking = await ask(honest.asked)
    const presentation = honest.answer(asking.request)
    expect(await asking.answer(presentation)).toMatchObject({ state: 'request-sent' })
    expect(asking.answers[0]?.status).toBe(503)
    expect(await asking.answer(presentation)).toMatchObject({ state: 'done', isVerified: true })
    expect(failure).toHaveBeenCalledTimes(2)
    failure.mockRestore()
  })

  test.each([[null], ['verified'], [{}], [[]]])('is not verified when it is %j', async (presented) => {
    for (const way of ways) {
      const asking = await ask({ requested_attributes: { r0: { name: 'x' } } }, way)
      expect(await asking.answer(presented)).toMatchObject({ state: 'abandoned', isVerified: false })
    }
  })
})
