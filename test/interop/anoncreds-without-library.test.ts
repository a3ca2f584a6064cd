/** AnonCreds in a deployment without the native library. */
import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { anonCredsUnavailable } from '../../lib/anoncreds-library.ts'
import { askForAnonCreds, WAYS, type Way } from '../support/anoncreds/asked-presentations.ts'
import { anonCredsRequest, connect, createTenant } from '../support/scenes.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

vi.mock('../../lib/agent/formats/anoncreds/library.ts', async (original) => ({
  ...(await original<typeof import('../../lib/agent/formats/anoncreds/library.ts')>()),
  assertAnonCredsLoads: () => {
    throw anonCredsUnavailable()
  },
  isAnonCredsAvailable: () => false,
}))

const stage = await useStage()
const wallet = await useWallet({ answerProofs: false })
const DAY = 24 * 60 * 60_000

/** Runs the jobs that are due after `age` (ms). */
const pass = async (age: number): Promise<void> => {
  await stage.line.pause()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + age })
  await stage.line.sweep()
  await stage.line.settle()
  vi.useRealTimers()
  stage.line.run()
}

test.each(Object.keys(WAYS) as Way[])(
  'a presentation by %s waits unverified, cannot be accepted, and ends with the command that installs the library',
  async (way) => {
    const caller = await createTenant(stage)
    const { requested_attributes, requested_predicates } = anonCredsRequest
    const asking = await askForAnonCreds(stage, caller, wallet, { requested_attributes, requested_predicates }, way)
    const proof = await asking.answer({})
    expect(proof).toMatchObject({ state: 'presentation-received', connectionId: expect.any(String) })
    expect(proof).not.toHaveProperty('isVerified')
    expect(proof.presentation).toEqual({ [WAYS[way].asked]: {} })
    const path = { proofRecordId: proof.id }
    expect(await stage.call('acceptPresentation', { caller, path })).toMatchObject({
      status: 409,
      body: { error: 'Conflict', message: 'the presentation is not verified yet' },
    })
    await pass(2 * DAY)
    const { body } = await stage.call('getProofById', { caller, path })
    expect(body).toMatchObject({ state: 'abandoned', errorMessage: expect.stringContaining('npm run anoncreds') })
    expect(body).not.toHaveProperty('isVerified')
  },
)

const IDS = { schema_id: 'did:web:a.example/schema', cred_def_id: 'did:web:a.example/definition' }

test.each([
  {
    type: 'issue-credential/2.0/offer-credential',
    format: 'anoncreds/credential-offer@v1.0',
    attached: 'offers~attach',
    json: { ...IDS, nonce: '1', key_correctness_proof: { c: '1', xz_cap: '1', xr_cap: [['degree', '1']] } },
    more: {
      credential_preview: {
        '@type': 'https://didcomm.org/issue-credential/2.0/credential-preview',
        attributes: [{ name: 'degree', value: 'Bachelor' }],
      },
    },
    list: 'getCredentials',
    accept: 'acceptCredentialOffer',
    to: (id: string) => ({ body: { credentialRecordId: id } }),
  },
  {
    type: 'present-proof/2.0/request-presentation',
    format: 'anoncreds/proof-request@v1.0',
    attached: 'request_presentations~attach',
    json: {
      ...{ name: 'p', version: '1.0', nonce: '1' },
      ...{ requested_attributes: { degree: { name: 'degree' } }, requested_predicates: {} },
    },
    more: {},
    list: 'getProofs',
    accept: 'acceptProofRequest',
    to: (id: string) => ({ path: { proofRecordId: id } }),
  },
] as const)(
  "a holder's answer to $format is rejected, and the exchange waits",
  async ({ type, format, attached, json, more, list, accept, to }) => {
    const caller = await createTenant(stage)
    const { walletConnectionId } = await connect(stage, wallet, caller)
    const base64 = Buffer.from(JSON.stringify(json)).toString('base64')
    const threadId = randomUUID()
    const sent = await new RawMessages(wallet).sendOn(walletConnectionId, {
      ...{ '@type': `https://didcomm.org/${type}`, '@id': threadId, ...more },
      formats: [{ attach_id: 'a', format }],
      [attached]: [{ '@id': 'a', 'mime-type': 'application/json', data: { base64 } }],
    })
    expect(sent.status).toBe(200)
    const [exchange] = (await stage.call(list, { caller, query: { threadId } })).body
    expect(await stage.call(accept, { caller, ...to(exchange.id) })).toMatchObject({
      status: 409,
      body: { error: 'Conflict', message: expect.stringContaining('npm run anoncreds') },
    })
    const [after] = (await stage.call(list, { caller, query: { threadId } })).body
    expect(after).toMatchObject({ id: exchange.id, state: exchange.state })
  },
)
