/** The deployed bundles: small, reproducible, and able to do all that their sources do, with nothing but the zip. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needsRegistries } from '../../infra/anoncreds/functions.ts'
import { Bundler } from '../../infra/bundle/bundle.ts'
import { zip } from '../../infra/bundle/zip.ts'
import { localIssuer } from '../../infra/local/issuer.ts'
import { ALL_GRANTS } from '../../lib/auth/grants.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { testWithLibrary } from '../support/anoncreds/library.ts'
import { AnonCredsScene, WALLET } from '../support/bench/anoncreds-scene.ts'
import { type BundledStage, startBundledStage } from '../support/bench/bundled-stage.ts'
import {
  FUNCTIONS,
  packagesOf,
  sizeOf,
  type Unpacked,
  type UnpackedFunction,
  unpackFunctions,
  unpackPackaged,
} from '../support/bench/bundles.ts'
import { playScene, startCapturingWallet } from '../support/bench/scene.ts'
import { exampleOf } from '../support/calls/all.ts'
import { callBundled } from '../support/calls/bundled.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { type IssuerServer, newSigningKey, startIssuerServer } from '../support/issuers/issuer-server.ts'
import { functionOf, READING_FUNCTIONS } from '../support/source/operation-functions.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'
import { testAttack } from './attack.ts'
import { testNativeLibrary } from './native-library.ts'
import { testStart } from './start.ts'
import { testTextToCode } from './text-to-code.ts'

/** An issuer that serves its keys at an address. */
const REMOTE = 'urn:test:remote'

/** Of all files of a reading function, minified. */
const MAX_BYTES = 350 * 1024

/** Whether `serverless package` or `deploy` has made the tested bundles, each function by itself. */
const { PACKAGED } = process.env

/** One for each selection of AnonCreds' parts (infra/anoncreds/functions.ts), with all of Credo: always bundled by itself. */
const OF_CREDO = ['create-request', 'create-schema', 'receive-didcomm']

/**
 * All others that write for a caller: most have Credo. Where nothing is packaged they are bundled together, in a twentieth of the time: the
 * same modules, but in chunks that they share, where an order of evaluation or a module that is missing by itself may not show.
 */
const TOGETHER = OPERATIONS.filter(({ security, idempotent }) => security === 'token' && idempotent)
  .map(({ operationId }) => functionOf(operationId))
  .filter((name) => !OF_CREDO.includes(name) && !READING_FUNCTIONS.includes(name))

let unpacked: Unpacked

beforeAll(async () => {
  unpacked = await (PACKAGED ? unpackPackaged() : unpackFunctions(FUNCTIONS, TOGETHER))
})
afterAll(() => unpacked.remove())

const unpackedFunction = (name: string): UnpackedFunction => {
  const found = unpacked.functions.get(name)
  if (found === undefined) throw new Error(`no function ${name}`)
  return found
}

/** Without those that also read remote registries of AnonCreds objects, by Credo. */
const OF_THE_TABLE = READING_FUNCTIONS.filter((name) => !needsRegistries(name))

describe.each(OF_THE_TABLE)('the bundle of %s', (name) => {
  test('is small', () => {
    expect(sizeOf(unpackedFunction(name).files)).toBeLessThanOrEqual(MAX_BYTES)
  })

  test('is free of Credo, and of the unit of work', () => {
    const { metafile } = unpackedFunction(name)
    const packages = Object.keys(packagesOf(metafile))
    expect(packages).toContain('@aws-sdk/client-dynamodb')
    expect(packages.filter((one) => /^@credo-ts|^didwebvh-ts$/.test(one))).toEqual([])
    const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    )
    expect(bundled).toContainEqual(expect.stringMatching(/lib\/store\/table\.ts$/))
    expect(bundled.filter((path) => /unit-of-work|transaction/.test(path))).toEqual([])
  })
})

/** Those that sign and verify have jose, and those that verify presentations dcql. */
const MAX_OPENID_BYTES = 450 * 1024

/** Functions that wallets call, and those that make the links for them. */
const OF_OPENID = [
  ...OPERATIONS.filter(({ path }) => /\/oid4v(?:p|ci)\//.test(path)).map(({ operationId }) => functionOf(operationId)),
  ...['create-presentation-request', 'create-credential-offer'],
]

test.each(OF_OPENID)('the bundle of %s is small, too', (name) =>
  expect(sizeOf(unpackedFunction(name).files)).toBeLessThanOrEqual(MAX_OPENID_BYTES),
)

testStart(() => unpacked)

testTextToCode(() => unpacked)

testNativeLibrary(() => unpacked)

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test('functions are bundled to the same bytes again, whatever parts the one before has', async () => {
  await using bundler = new Bundler(resolve('.'))
  for (const name of ['receive-didcomm', 'create-request', 'get-credential-by-id']) {
    const { files } = unpackedFunction(name)
    const again = await bundler.bundle(`functions/${name}.ts`)
    expect(Object.keys(again.files).sort()).toEqual(Object.keys(files).sort())
    expect(hash(zip(again.files))).toBe(hash(zip(files)))
  }
})

test('a zip is the same bytes in another time zone, and whatever the order of its files', async () => {
  const module = resolve('infra/bundle/zip.ts')
  const script = (files: string) =>
    `import(${JSON.stringify(module)}).then(({ zip }) => process.stdout.write(Buffer.from(zip(${files})).toString('hex')))`
  const run = async (TZ: string, files: string) => {
    const environment = { env: { TZ }, cwd: tmpdir() }
    return (await promisify(execFile)(process.execPath, ['-e', script(files)], environment)).stdout
  }
  const one = await run('America/New_York', '{ a: new Uint8Array(9), b: new Uint8Array(7) }')
  const other = await run('Asia/Tokyo', '{ b: new Uint8Array(7), a: new Uint8Array(9) }')
  expect(one).toMatch(/^504b0304/)
  expect(other).toBe(one)
})

describe('unpacked, each in a plain Node process', () => {
  let stage: BundledStage
  let token: string
  let wallet: Wallet
  let server: IssuerServer
  let withdrawn: string

  beforeAll(async () => {
    const issuer = await localIssuer(unpacked.folder)
    token = await issuer.sign({ role: 'RestRootAgentWithTenants' })
    server = await startIssuerServer()
    const keys = await newSigningKey('withdrawn', REMOTE, Date.now)
    withdrawn = await keys.sign()
    const remote = {
      issuer: REMOTE,
      audience: 'agent',
      jwks: { keys: [keys.open] },
      jwksUri: server.jwksUri,
      preparedAt: Date.now() - 2 * 60 * 60 * 1000,
      grants: ALL_GRANTS,
    }
    stage = await startBundledStage(unpacked.functions, { TOKEN_ISSUERS: JSON.stringify([issuer.settings, remote]) })
    wallet = await Wallet.start()
  })
  afterAll(async () => {
    await wallet.stop()
    await stage.stop()
    await server.stop()
  })

  describe('does what its source does', () => {
    let scene: CallScene

    beforeAll(async () => {
      // Some examples put records into the table.
      const { TABLE_NAME, DYNAMODB_ENDPOINT, PUBLIC_URL } = stage.environment
      Object.assign(process.env, { TABLE_NAME, DYNAMODB_ENDPOINT, PUBLIC_URL })
      scene = await CallScene.start(callBundled(stage, token), wallet)
    })

    test.each(OPERATIONS)('$operationId', async ({ operationId }) => {
      const { asked, caller } = await exampleOf(operationId, scene)
      const { status, body } = await scene.call(operationId, { ...asked, caller })
      expect(status, JSON.stringify(body)).toBeLessThan(300)
    })
  })

  const event = { type: 'TOKEN', methodArn: 'arn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/connections' }

  test('the authorizer accepts tokens by a key that its issuer still has, as of the last scheduled read', async () => {
    const next = await newSigningKey('next', REMOTE, Date.now)
    server.serve(next)
    await stage.invoke('confirm-issuer-keys', {})
    const authorizationToken = await next.sign()
    expect(await stage.invoke('authorizer', { ...event, authorizationToken })).toMatchObject({
      principalId: 'RestRootAgent',
    })
    expect(server.requests).toBe(1)
    await expect(stage.invoke('authorizer', { ...event, authorizationToken: withdrawn })).rejects.toThrow(
      'Unauthorized',
    )
  })

  test('the authorizer accepts a valid token, and no other', async () => {
    const answer = await stage.invoke('authorizer', { ...event, authorizationToken: `Bearer ${token}` })
    expect(answer).toMatchObject({
      principalId: 'RestRootAgentWithTenants',
      context: { principal: expect.stringContaining('RestRootAgent') },
    })
    await expect(stage.invoke('authorizer', { ...event, authorizationToken: 'Bearer x' })).rejects.toThrow(
      'Unauthorized',
    )
  })

  test('an event is delivered, and once more when it is replayed', async () => {
    const receiver = await startFaultyReceiver()
    const orgId = 'acme'
    const registered = await stage.call('register-webhook', { path: { orgId }, body: { webhookUrl: receiver.url } })
    const path = { orgId, endpointId: registered.body.data.id }
    const { body: tested } = await stage.call('test-webhook-endpoint', { path })
    const arrived = (count: number) => waitFor('the event', () => receiver.received.length >= count)
    await arrived(1)
    await waitFor('the attempt', async () => (await stage.call('get-webhook-deliveries', { path })).body.length > 0)
    const replayed = await stage.call('replay-webhook-events', { path, body: { eventId: tested.eventId } })
    expect(replayed).toMatchObject({ status: 202, body: { replayed: 1 } })
    await arrived(2)
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([tested.eventId, tested.eventId])
    await receiver.stop()
  })

  test("the outbox's functions other than delivery work, too", async () => {
    const wakeUp = (body: object) => ({ Records: [{ messageId: 'm1', body: JSON.stringify(body) }] })
    const lane = 'acme|ConnectionRecord|nothing'
    const idle = { lane, reason: { kind: 'due', at: 1 } }
    expect(await stage.invoke('deliver-slowly', wakeUp(idle))).toEqual({ batchItemFailures: [] })
    expect(await stage.invoke('wake', wakeUp({ destination: 'https://a.example', at: 1 }))).toEqual({
      batchItemFailures: [],
    })
    await stage.invoke('sweep-outbox', {})
    const ended = { job: 'acme|job|credential-definition|ended' }
    expect(await stage.invoke('run-jobs', wakeUp(ended))).toEqual({ batchItemFailures: [] })
    const removed = { job: 'acme|job|tenant-removal|ended' }
    expect(await stage.invoke('remove-owned', wakeUp(removed))).toEqual({ batchItemFailures: [] })
  })

  test.each([
    ['no envelope', { hello: 'world' }],
    ['an envelope without recipients', { protected: 'e30', iv: 'AA', ciphertext: 'AA', tag: 'AA' }],
  ])('%s is refused', async (_, body) => {
    expect(await stage.call('receive-didcomm', { body })).toMatchObject({ status: 400 })
  })

  test('the engine that matches patterns is in the bundle', async () => {
    const fields = [{ path: ['$.a'], filter: { pattern: '^a$' } }]
    const presentationDefinition = { id: 'd', input_descriptors: [{ id: 'i', constraints: { fields } }] }
    const body = { protocolVersion: 'v2', proofFormats: { presentationExchange: { presentationDefinition } } }
    expect(await stage.call('create-request', { body })).toMatchObject({ status: 200 })
  })

  test('a wallet connects to a tenant, talks, takes a credential and presents it', async () => {
    // The calls above delete a connection, on which their wallet may be about to send.
    const newcomer = await Wallet.start()
    try {
      const scene = await playScene(stage.call, newcomer)
      expect(scene.connection).toMatchObject({ state: 'completed', role: 'responder' })
      expect(scene.messages.map(({ content }) => content)).toEqual(['hello', 'hi'])
      expect(scene.credential).toMatchObject({ role: 'issuer', connectionId: scene.connection.id })
      expect(scene.proof).toMatchObject({ isVerified: true, presentation: { presentationExchange: expect.anything() } })
      expect(newcomer.journal.errors).toEqual([])
    } finally {
      await newcomer.stop()
    }
  })

  testWithLibrary('a wallet takes a credential of AnonCreds, presents it, and hears that it is revoked', async () => {
    const capturing = await startCapturingWallet(WALLET)
    try {
      const scene = await AnonCredsScene.play(stage.call, capturing)
      const { envelope, id } = await scene.present({ nonRevoked: true })
      await stage.call('receive-didcomm', { path: scene.caller, body: envelope })
      const path = { ...scene.caller, proofRecordId: id }
      expect((await stage.call('tenant-proof-form-data', { path })).body).toMatchObject({ isVerified: true })
      await stage.call('revoke-credential', {
        caller: scene.caller,
        path: { credentialRecordId: scene.heldRecordId },
      })
      await waitFor('the wallet to be told', async () =>
        (await capturing.wallet.credentialExchanges()).some((exchange) => exchange.revocationNotification),
      )
    } finally {
      await capturing.wallet.stop()
    }
  })

  test('every function has been called by now, and none has logged an error', () => {
    const complaints = stage.complaints()
    expect(Object.keys(complaints).sort()).toEqual(FUNCTIONS)
    expect(Object.values(complaints).join('')).toBe('')
  })
})

testAttack(() => unpacked)
