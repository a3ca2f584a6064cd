/** Presentations that cannot be verified on arrival: an object that they name cannot be read, or the service fails. The wallet is not blamed. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'
import { DidResolverService, W3cJsonLdCredentialService } from '@credo-ts/core'
import { DidCommProofsApi, DidCommProofV2Protocol } from '@credo-ts/didcomm'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { readText } from '../../lib/agent/web/documents.ts'
import { AgentError } from '../../lib/errors.ts'
import { askForAnonCreds, publish, WAYS, type Way } from '../support/anoncreds/asked-presentations.ts'
import { altered } from '../support/anoncreds/bare-library.ts'
import { publishedByAll } from '../support/anoncreds/holder.ts'
import { HONEST } from '../support/anoncreds/honest-presentations.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { memoryRegistry } from '../support/anoncreds/memory-registry.ts'
import { ATTACKS } from '../support/anoncreds/presentation-attacks.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { startTenantAndWallet, type TenantAndWallet } from '../support/stage/tenant-and-wallet.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import {
  askForProof,
  CREDENTIALS_V1,
  issue,
  present,
  presentationMessage,
  submissionOf,
} from '../support/wallets/presentations.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const [honest] = HONEST
if (honest === undefined) throw new Error('there is nothing to present')

let world: TenantAndWallet
const ways = Object.keys(WAYS) as Way[]

/** Registries that cannot be read, each in another way. */
const FAILURES: [string, () => unknown][] = [
  ['is unavailable', () => Promise.resolve({ resolutionMetadata: { error: 'unavailable', message: 'x' } })],
  ['throws an unknown error', () => Promise.reject(new TypeError('secret'))],
  ['throws one of the service', () => Promise.reject(new AgentError('registry.unavailable', 'a ledger is away'))],
]

const failing = (method: 'getSchema' | 'getCredentialDefinition', answer: () => unknown) =>
  vi.spyOn(memoryRegistry, method).mockImplementation(answer as AnonCredsRegistry[typeof method])

/** Offset of the clock, in ms. */
let passed = 0

/** Runs what is due after another `age` ms. */
const pass = async (age: number): Promise<void> => {
  const { line } = world.stage
  await line.pause()
  passed += age
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + passed })
  await line.sweep()
  await line.settle()
  vi.useRealTimers()
  line.run()
}

const proofOf = async ({ id }: Json): Promise<Json> =>
  (await world.stage.call('getProofById', { caller: world.caller, path: { proofRecordId: id } })).body

/** The types of messages that the wallet has got on a thread, without the version. */
const told = ({ threadId }: Json): string[] =>
  world.wallet.journal.received.flatMap((message) =>
    message.threadId === threadId && message.type.includes('present-proof')
      ? [message.type.split('/').at(-1) ?? '']
      : [],
  )

const ask = (way?: Way, fields?: Json, asked = honest.asked) =>
  askForAnonCreds(world.stage, world.caller, world.wallet, asked, way, fields)

beforeAll(async () => {
  world = await startTenantAndWallet()
})
afterAll(() => world.stop())
afterEach(() => {
  vi.restoreAllMocks()
  passed = 0
})

describeWithLibrary('a presentation that cannot be verified on arrival', () => {
  beforeAll(() => publish(publishedByAll()))

  test.each(FAILURES)('because a registry %s, is stored, and verified and acknowledged later', async (_, answer) => {
    const failure = failing('getSchema', answer)
    const asking = await ask()
    const received = await asking.answer(honest.answer(asking.request))
    expect(asking.answers[0]).toMatchObject({ status: 200, body: '' })
    expect(received).toMatchObject({ state: 'presentation-received' })
    expect(received).not.toHaveProperty('isVerified')
    expect(received).not.toHaveProperty('errorMessage')
    await pass(MINUTE)
    expect(await proofOf(received)).toMatchObject({ state: 'presentation-received' })
    failure.mockRestore()
    await pass(2 * MINUTE)
    const proof = await proofOf(received)
    expect(proof).toMatchObject({ state: 'done', isVerified: true })
    expect(proof).not.toHaveProperty('errorMessage')
    await waitFor('the acknowledgement', () => told(proof).includes('ack'))
    expect(told(proof)).not.toContain('problem-report')
  })

  /** Presents while `failure` lasts: the presentation is received, and verified once the failure is over. */
  const expectVerifiedAfter = async (failure: { mockRestore: () => void }, way?: (typeof ways)[number]) => {
    const asking = await ask(way)
    const received = await asking.answer(honest.answer(asking.request))
    expect(received).toMatchObject({ state: 'presentation-received' })
    expect(received).not.toHaveProperty('isVerified')
    failure.mockRestore()
    await pass(MINUTE)
    expect(await proofOf(received)).toMatchObject({ state: 'done', isVerified: true })
  }

  test.each(ways)('by %s: it is still verified later', async (way) => {
    const failure = failing('getCredentialDefinition', FAILURES[0]?.[1] as () => unknown)
    await expectVerifiedAfter(failure, way)
  })

  test('cannot be accepted before it is verified, and then waits for a call where the request demands one', async () => {
    const { stage, caller } = world
    const failure = failing('getSchema', FAILURES[0]?.[1] as () => unknown)
    const asking = await ask('v2 anoncreds', { autoAcceptProof: 'never' })
    const received = await asking.answer(honest.answer(asking.request))
    const accept = () => stage.call('acceptPresentation', { caller, path: { proofRecordId: received.id } })
    expect(await accept()).toMatchObject({ status: 409, body: { message: 'the presentation is not verified yet' } })
    failure.mockRestore()
    await pass(MINUTE)
    expect(await proofOf(received)).toMatchObject({ state: 'presentation-received', isVerified: true })
    expect((await accept()).body).toMatchObject({ state: 'done', isVerified: true })
  })

  test('is rejected later if it is invalid, and the wallet is notified', async () => {
    const lie = ATTACKS.find(({ name }) => name === 'a foreign credential in the name of the trusted definition')
    if (lie === undefined) throw new Error('there is no lie')
    const failure = failing('getSchema', FAILURES[0]?.[1] as () => unknown)
    const asking = await ask('v2 anoncreds', {}, lie.asked)
    const received = await asking.answer(lie.answer(asking.request))
    expect(received).toMatchObject({ state: 'presentation-received' })
    failure.mockRestore()
    await pass(MINUTE)
    const proof = await proofOf(received)
    expect(proof).toMatchObject({ state: 'abandoned', isVerified: false, errorMessage: lie.says })
    await waitFor('the report', () => told(proof).includes('problem-report'))
  })

  test('is abandoned after a day, and is not called invalid', async () => {
    const failure = failing('getSchema', FAILURES[0]?.[1] as () => unknown)
    const asking = await ask()
    const received = await asking.answer(honest.answer(asking.request))
    for (let minutes = 0; minutes < 12 * 60; minutes += 10) await pass(10 * MINUTE)
    expect(await proofOf(received)).toMatchObject({ state: 'presentation-received' })
    await pass(DAY)
    const proof = await proofOf(received)
    const reason = 'the presentation could not be verified: a schema of the presentation could not be read'
    expect(proof).toMatchObject({ state: 'abandoned', errorMessage: reason })
    expect(proof).not.toHaveProperty('isVerified')
    expect(failure.mock.calls.length).toBeLessThanOrEqual(21)
    await waitFor('the report', () => told(proof).includes('problem-report'))
    const report = world.wallet.journal.problems.find(({ threadId }) => threadId === proof.threadId)
    expect(report?.description).toContain('could not be read')
    expect(report?.description).not.toMatch(/not valid|invalid|wrong/)
    const failures = failure.mock.calls.length
    await pass(DAY)
    expect(failure.mock.calls).toHaveLength(failures)
  })

  test('is not verified any more where the wallet has ended the exchange meanwhile', async () => {
    failing('getSchema', FAILURES[0]?.[1] as () => unknown)
    const asking = await ask(undefined, { autoAcceptProof: 'never' })
    const received = await asking.answer(honest.answer(asking.request))
    const connections = await world.wallet.agent.didcomm.connections.getAll()
    const [newest] = connections.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    const report = didCommMessage('present-proof/2.0/problem-report', { thid: received.threadId })
    await new RawMessages(world.wallet).sendOn(newest?.id ?? '', report)
    expect(await proofOf(received)).toMatchObject({ state: 'abandoned' })
    vi.restoreAllMocks()
    await pass(MINUTE)
    const proof = await proofOf(received)
    expect(proof).toMatchObject({ state: 'abandoned' })
    expect(proof).not.toHaveProperty('isVerified')
  })

  test('is verified, though the connection was deleted meanwhile', async () => {
    failing('getSchema', FAILURES[0]?.[1] as () => unknown)
    const asking = await ask()
    const received = await asking.answer(honest.answer(asking.request))
    const { stage, caller } = world
    await stage.call('deleteConnection', { caller, path: { connectionId: received.connectionId } })
    vi.restoreAllMocks()
    await pass(MINUTE)
    // It is verified, and the prover cannot be notified.
    expect(await proofOf(received)).toMatchObject({ isVerified: true })
  })

  test.each(['connection.queue_full', 'connection.no_endpoint', 'connection.not_ready'] as const)(
    'is verified, though the prover cannot be notified (%s), and again where the service fails to notify it',
    async (code) => {
      const failure = failing('getSchema', FAILURES[0]?.[1] as () => unknown)
      const asking = await ask()
      const received = await asking.answer(honest.answer(asking.request))
      failure.mockRestore()
      const acknowledgement = vi.spyOn(DidCommProofsApi.prototype, 'acceptPresentation')
      acknowledgement.mockRejectedValueOnce(new TypeError('an internal error'))
      await pass(MINUTE)
      expect(await proofOf(received)).not.toHaveProperty('isVerified')
      acknowledgement.mockRejectedValue(new AgentError(code, 'the prover cannot be notified'))
      await pass(MINUTE)
      expect(await proofOf(received)).toMatchObject({ isVerified: true })
    },
  )

  test('because the library fails by itself, is verified later', async () => {
    const { anoncredsNodeJS } = await import('@hyperledger/anoncreds-nodejs')
    const { AnoncredsError } = await import('@hyperledger/anoncreds-shared')
    for (const error of [new AnoncredsError({ code: 4, message: 'panic' }), new TypeError('not a function')]) {
      const failure = vi.spyOn(anoncredsNodeJS, 'verifyPresentation').mockImplementationOnce(() => {
        throw error
      })
      await expectVerifiedAfter(failure)
    }
  })

  test('because the library cannot read what the issuer has published, is not called invalid', async () => {
    const { schemas, definitions } = publishedByAll()
    const asking = await ask()
    const presentation = honest.answer(asking.request)
    const [{ cred_def_id, schema_id }] = presentation.identifiers
    const broken = altered(definitions[cred_def_id] ?? {}, ({ value }) => {
      value.primary.z = 'none'
    })
    expect(schemas).toHaveProperty([schema_id])
    vi.spyOn(memoryRegistry, 'getCredentialDefinition').mockImplementation(async (_, credentialDefinitionId) => ({
      ...{ credentialDefinition: broken as never, credentialDefinitionId },
      ...{ resolutionMetadata: {}, credentialDefinitionMetadata: {} },
    }))
    const received = await asking.answer(presentation)
    expect(received).toMatchObject({ state: 'presentation-received' })
    expect(received).not.toHaveProperty('isVerified')
  })
})

describe('a JSON-LD presentation', () => {
  const DEGREES = 'https://contexts.example/degrees/v1'
  const contexts = {
    [DEGREES]: { '@context': { Degree: 'https://example.org/Degree', degree: 'https://example.org/degree' } },
  }
  const credential = {
    '@context': [CREDENTIALS_V1, DEGREES],
    type: ['VerifiableCredential', 'Degree'],
    credentialSubject: { degree: 'Bachelor' },
  }
  const path = '$.credentialSubject.degree'
  const presentationDefinition = {
    id: 'degree',
    input_descriptors: [
      { id: 'degree', schema: [{ uri: CREDENTIALS_V1 }], constraints: { fields: [{ path: [path] }] } },
    ],
  }

  let issuer: Wallet
  beforeAll(async () => {
    issuer = await Wallet.start({ label: 'Issuer' })
  })

  const host = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1')
  afterAll(async () => {
    host.close()
    await issuer.stop()
  })

  /** The issuer's DID is on a host that fails. */
  const hideIssuer = (did: string) => {
    const { port } = host.address() as AddressInfo
    const resolver = DidResolverService.prototype
    const resolve = resolver.resolve
    return vi.spyOn(resolver, 'resolve').mockImplementation(async function (this: DidResolverService, ...parameters) {
      if (parameters[1] !== did) return resolve.apply(this, parameters)
      await readText(`http://localhost:${port}/did.json`).catch(() => undefined)
      return { didDocument: null, didDocumentMetadata: {}, didResolutionMetadata: { error: 'notFound' } }
    })
  }

  /** A presentation for a request, and how the wallet sends it. */
  const askFor = async () => {
    const { stage, caller, wallet } = world
    const signed = await issue(issuer, credential, contexts)
    const asked = await askForProof(stage, caller, wallet, { presentationDefinition, options: { contexts } })
    const more = { presentation_submission: submissionOf(asked.definition) }
    const presentation = await present(wallet, [signed], { challenge: asked.challenge, contexts, more })
    return { asked, presentation, signed }
  }

  test('because the service fails by itself is kept, and verified later', async () => {
    const { asked, presentation } = await askFor()
    const verification = vi.spyOn(W3cJsonLdCredentialService.prototype, 'verifyPresentation')
    verification.mockRejectedValueOnce(new TypeError('secret'))
    const received = await asked.answer(presentation)
    expect(received).toMatchObject({ state: 'presentation-received' })
    expect(received).not.toHaveProperty('isVerified')
    expect(JSON.stringify(received)).not.toContain('secret')
    const request = vi.spyOn(DidCommProofV2Protocol.prototype, 'findRequestMessage').mockResolvedValue(null)
    await pass(MINUTE)
    expect(await proofOf(received)).not.toHaveProperty('isVerified')
    request.mockRestore()
    await pass(2 * MINUTE)
    expect(await proofOf(received)).toMatchObject({ state: 'done', isVerified: true })
  })

  /** A presentation that the service could not verify because of an internal error. */
  const unverified = async () => {
    const { asked, presentation } = await askFor()
    vi.spyOn(W3cJsonLdCredentialService.prototype, 'verifyPresentation').mockRejectedValueOnce(new TypeError('secret'))
    return asked.answer(presentation)
  }

  test('is not verified any more once the prover has ended the exchange', async () => {
    const received = await unverified()
    const { didcomm } = world.wallet.agent
    const [proof] = (await world.wallet.proofs()).filter(({ threadId }) => threadId === received.threadId)
    await didcomm.proofs.declineRequest({ proofExchangeRecordId: proof?.id ?? '', sendProblemReport: true })
    const ended = await waitFor('the end', async () => {
      const now = await proofOf(received)
      return now.state === 'abandoned' && now
    })
    // An error would be retried.
    for (let times = 1; times <= 3; times++) await pass(MINUTE)
    expect(await proofOf(received)).toEqual(ended)
  })

  test('is abandoned where the service fails to end it, three times, and is not called invalid', async () => {
    const received = await unverified()
    const acknowledgement = vi.spyOn(DidCommProofsApi.prototype, 'acceptPresentation')
    acknowledgement.mockRejectedValue(new TypeError('secret'))
    for (let faults = 1; faults <= 3; faults++) await pass(MINUTE)
    const proof = await proofOf(received)
    const errorMessage = 'the presentation could not be verified: an internal error'
    expect(proof).toMatchObject({ state: 'abandoned', errorMessage })
    expect(proof).not.toHaveProperty('isVerified')
    expect(acknowledgement).toHaveBeenCalledTimes(3)
    await waitFor('the report', () => told(proof).includes('problem-report'))
  })

  test('because the service fails by itself for a day is abandoned, and no message names the failure', async () => {
    const { asked, presentation } = await askFor()
    vi.spyOn(W3cJsonLdCredentialService.prototype, 'verifyPresentation').mockRejectedValue(new TypeError('secret'))
    const received = await asked.answer(presentation)
    await pass(DAY)
    const errorMessage = 'the presentation could not be verified: an internal error'
    expect(await proofOf(received)).toMatchObject({ state: 'abandoned', errorMessage })
  })

  test('without a connection, where the prover cannot be notified, is rejected later if it is invalid', async () => {
    const { stage, caller, wallet } = world
    const proofFormats = { presentationExchange: { presentationDefinition, options: { contexts } } }
    const body = { protocolVersion: 'v2', proofFormats }
    const { body: asked } = await stage.call('createRequest', { caller, body })
    const raw = new RawMessages(wallet)
    const route = { ...(await raw.routeToDid(asked.invitationDid)), senderKey: await raw.newKey() }
    vi.spyOn(W3cJsonLdCredentialService.prototype, 'verifyPresentation').mockRejectedValueOnce(new TypeError('secret'))
    const presentation = await present(wallet, [await issue(issuer, credential, contexts)], {
      ...{ challenge: 'of another request', contexts },
      more: { presentation_submission: submissionOf(presentationDefinition) },
    })
    const thread = { thid: asked.proofRecordThId, pthid: asked.invitation['@id'] }
    await raw.send(presentationMessage(thread, presentation), route)
    const received = { id: asked.proofRecordId }
    expect(await proofOf(received)).toMatchObject({ state: 'presentation-received' })
    await pass(MINUTE)
    expect(await proofOf(received)).toMatchObject({ state: 'abandoned', isVerified: false })
  })

  test('of an issuer whose host fails is kept, and verified later', async () => {
    const { stage, caller } = world
    const { asked, presentation, signed } = await askFor()
    const hidden = hideIssuer(signed.issuer.id ?? signed.issuer)
    const received = await asked.answer(presentation)
    expect(received).toMatchObject({ state: 'presentation-received' })
    expect(received).not.toHaveProperty('isVerified')
    await pass(MINUTE)
    expect(await proofOf(received)).not.toHaveProperty('isVerified')
    hidden.mockRestore()
    await pass(2 * MINUTE)
    expect(await proofOf(received)).toMatchObject({ state: 'done', isVerified: true })
    const path = { tenantId: caller.tenantId, proofRecordId: received.id }
    const { presentation: shown } = (await stage.call('tenantProofFormData', { caller, path })).body
    expect(shown.presentationExchange.verifiableCredential).toHaveLength(1)
  })
})
