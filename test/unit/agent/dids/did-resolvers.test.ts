/** did:peer is resolved as by Credo, in a time that no DID can stretch. */
import {
  AgentConfig,
  AgentContext,
  createPeerDidDocumentFromServices,
  DependencyManager,
  DidRepository,
  didDocumentToNumAlgo2Did,
  didDocumentToNumAlgo4Did,
  Kms,
} from '@credo-ts/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DocumentCache, resolveOnce } from '../../../../lib/agent/dids/did-documents.ts'
import { BoundedJwkDidResolver, LinearPeerDidResolver } from '../../../../lib/agent/dids/did-resolvers.ts'
import { keysOf } from '../../../../lib/agent/dids/their-services.ts'
import type { DidResolution } from '../../../../lib/agent/web/did-documents.ts'
import { MAX_LINEAR_MS, processorTime } from '../../../support/processor-time.ts'
import { contextOf } from '../credo-storage.ts'

const FINGERPRINT = 'z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'

const context = (): AgentContext => {
  const dependencyManager = new DependencyManager()
  // No DID here needs a stored document.
  dependencyManager.registerInstance(DidRepository, {} as DidRepository)
  return new AgentContext({ contextCorrelationId: 'acme', dependencyManager, isRootAgentContext: false })
}

const resolve = (did: string): Promise<DidResolution> => new LinearPeerDidResolver().resolve(context(), did)

const document = (serviceEndpoint = 'http://127.0.0.1:1') => {
  const key = Kms.PublicJwk.fromFingerprint(FINGERPRINT)
  if (!key.is(Kms.Ed25519PublicJwk)) throw new Error('not an Ed25519 key')
  const service = { id: '#didcomm', serviceEndpoint, recipientKeys: [key], routingKeys: [key] }
  return createPeerDidDocumentFromServices([service], false).didDocument
}

test.each<[string, () => string]>([
  ['method 0', () => `did:peer:0${FINGERPRINT}`],
  ['method 2', () => didDocumentToNumAlgo2Did(document())],
  ['method 4', () => didDocumentToNumAlgo4Did(document()).longFormDid],
])('a DID of %s is resolved', async (_, didOf) => {
  const did = didOf()
  const { didDocument } = await resolve(did)
  expect(didDocument?.id).toBe(did)
  expect(JSON.stringify(didDocument)).toContain('authentication')
})

test.each(['?', '~', '>', '\u007f', 'é', '€', '𝄞'])(
  'a DID of method 2 is resolved, wherever its endpoint has a %s',
  async (symbol) => {
    const dids = ['', 'a', 'aa'].map((path) => {
      const endpoint = `https://wallet.example/${path}${symbol}`
      const did = didDocumentToNumAlgo2Did(document(endpoint))
      return { did, endpoint }
    })
    expect(dids.filter(({ did }) => /[_-]/.test(did))).not.toEqual([])
    for (const { did, endpoint } of dids) {
      const { didDocument } = await resolve(did)
      expect(didDocument?.service).toMatchObject([{ serviceEndpoint: endpoint }])
      expect(didDocument?.id).toBe(did)
      for (const { id, controller } of didDocument?.verificationMethod ?? []) {
        expect(controller).toBe(did)
        expect(id.startsWith(`${did}#`)).toBe(true)
      }
      expect(didDocument?.recipientKeys).toHaveLength(1)
    }
  },
)

const withServices = (...services: unknown[]): string =>
  [`did:peer:2.V${FINGERPRINT}`, ...services.map((one) => Buffer.from(JSON.stringify(one)).toString('base64url'))].join(
    '.S',
  )

test('a DID of method 2 is resolved whatever its other services are, which are shown', async () => {
  const usual = {
    t: ['Other', 'did-communication'],
    s: 'https://wallet.example/~~~???',
    recipientKeys: ['#key-1'],
    r: [],
  }
  const did = withServices(
    [null, { t: 5, s: null }],
    { t: 'dm', s: { uri: 'https://a.example', a: ['didcomm/v2'] } },
    usual,
  )
  expect(did).toMatch(/[_-]/)
  const { didDocument, published } = await resolve(did)
  expect(didDocument?.recipientKeys.map(({ fingerprint }) => fingerprint)).toEqual([FINGERPRINT])
  expect(didDocument?.service).toMatchObject([{ serviceEndpoint: usual.s }])
  expect(published).toMatchObject({
    service: [
      null,
      { type: 5, id: `${did}#5-1` },
      { type: 'DIDCommMessaging', serviceEndpoint: { uri: 'https://a.example', accept: ['didcomm/v2'] } },
      { routingKeys: [] },
    ],
  })
})

test.each<[string, () => string]>([
  ['without keys', () => withServices({ t: 'did-communication', s: 'https://wallet.example/~~~', recipientKeys: [] })],
  ['that is not JSON', () => `${withServices({})}.Seyo`],
])('a DID of method 2 with a service %s names no key', async (_, didOf) => {
  const { didDocument } = await resolve(didOf())
  expect(didDocument && keysOf(didDocument)).toEqual([])
})

test('a DID of method 4 is resolved whatever no rule looks at, and shown with its controllers', async () => {
  const method = { id: '#key', type: 'Multikey', publicKeyMultibase: FINGERPRINT, publicKeyBase58: null }
  const json = {
    ...{ '@context': { '@vocab': 'https://a.example/#' }, alsoKnownAs: null, service: null },
    ...{ verificationMethod: [method], authentication: ['#key'] },
  }
  const { longFormDid: did } = didDocumentToNumAlgo4Did(Object.assign(document(), { toJSON: () => json }))
  const { didDocument, published } = await resolve(did)
  expect(didDocument?.authentication).toEqual(['#key'])
  const alsoKnownAs = [did.slice(0, did.lastIndexOf(':'))]
  expect(published).toMatchObject({
    ...json,
    id: did,
    alsoKnownAs,
    verificationMethod: [{ ...method, controller: did }],
  })
  const other = `${alsoKnownAs}:z${did.slice(-100)}`
  expect((await resolve(other)).didResolutionMetadata.error).toBe('notFound')
})

test.each([[[]], [[{ id: 'did:example:1' }]]])(
  'a DID of method 4 whose document is the list %j is not resolved',
  async (list) => {
    const { longFormDid: did } = didDocumentToNumAlgo4Did(Object.assign(document(), { toJSON: () => list }))
    expect(await resolve(did)).toMatchObject({
      didDocument: null,
      didResolutionMetadata: { error: 'invalidDidDocument' },
    })
  },
)

test.each([
  ['that Credo would read in 2^48 ways', `did:peer:2.V${FINGERPRINT}${'SS'.repeat(24)}!`],
  ['with keys that run into each other', `did:peer:2.V${FINGERPRINT}${'.VzAAAAA'.repeat(40_000)}!`],
  ['without end', `did:peer:2.V${FINGERPRINT}.S${'a'.repeat(200_000)}`],
  ['of method 4 without end', `did:peer:4z${'a'.repeat(46)}:z${'a'.repeat(200_000)}`],
  ['that is malformed', 'did:peer:x'],
])('a DID %s is rejected immediately', async (_, did) => {
  const spent = processorTime()
  expect(await resolve(did)).toMatchObject({ didDocument: null, didResolutionMetadata: { error: expect.anything() } })
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})

test.each([
  ['a short', 1_000, null],
  ['no longer', 4_000, 'invalidDid'],
])('%s did:jwk is resolved', async (_, length, error) => {
  const jwk = { ...Kms.PublicJwk.fromFingerprint(FINGERPRINT).toJson(), kid: 'x'.repeat(length) }
  const did = `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`
  const { didDocument, didResolutionMetadata } = await new BoundedJwkDidResolver().resolve(context(), did)
  expect(didResolutionMetadata.error ?? null).toBe(error)
  expect(didDocument?.id ?? did).toBe(did)
})

test('a document that a DID contains is built once, and is immutable', async () => {
  const did = didDocumentToNumAlgo4Did(document()).longFormDid
  const { didDocument } = await resolve(did)
  expect((await resolve(did)).didDocument).toBe(didDocument)
  expect(() => didDocument?.service?.push(...didDocument.service)).toThrow(TypeError)
  const [method] = didDocument?.authentication ?? []
  expect(() => Object.assign(Object(method), { publicKeyBase58: 'x' })).toThrow(TypeError)
})

test('a DID that was not resolved is tried again', async () => {
  const failing = vi.fn(async () => ({ didDocument: null, didDocumentMetadata: {}, didResolutionMetadata: {} }))
  for (const _ of ['first', 'second']) await resolveOnce('did:key:unreadable', failing)
  expect(failing).toHaveBeenCalledTimes(2)
})

test('a stored document is resolved only for its tenant', async () => {
  const did = didDocumentToNumAlgo4Did(document()).shortFormDid
  const documentOf = async (stored: string[]) => {
    const agentContext = context()
    // Credo logs that it has found nothing.
    agentContext.dependencyManager.registerInstance(AgentConfig, {
      logger: { error: () => {} },
    } as unknown as AgentConfig)
    const findAllByDid = async () => stored.map((of) => ({ did: of }))
    agentContext.dependencyManager.registerInstance(DidRepository, { findAllByDid } as unknown as DidRepository)
    return (await new LinearPeerDidResolver().resolve(agentContext, did)).didDocument
  }
  expect(await documentOf([didDocumentToNumAlgo4Did(document()).longFormDid])).not.toBeNull()
  expect(await documentOf([])).toBeNull()
})

let cache: DocumentCache

beforeEach(() => {
  cache = new DocumentCache()
})
afterEach(() => {
  vi.useRealTimers()
})

const acme = contextOf('acme')
const usual = { id: 'did:web:example.com' }

test('a document is there for all agents, until it is removed', async () => {
  await cache.set(acme, 'did', usual)
  expect(await cache.get(acme, 'did')).toEqual(usual)
  expect(await cache.get(contextOf('other'), 'did')).toEqual(usual)
  expect(await cache.get(acme, 'another')).toBeNull()
  await cache.remove(acme, 'did')
  expect(await cache.get(acme, 'did')).toBeNull()
})

test('a document is forgotten after the seconds that were asked for', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const start = Date.now()
  await cache.set(acme, 'did', usual, 300)
  vi.setSystemTime(start + 299_999)
  expect(await cache.get(acme, 'did')).toEqual(usual)
  vi.setSystemTime(start + 300_000)
  expect(await cache.get(acme, 'did')).toBeNull()
})

test('many large documents do not fill the memory: the oldest are forgotten', async () => {
  const large = () => ({ ...usual, service: 'x'.repeat(256 * 1024) })
  for (let made = 0; made < 100; made++) await cache.set(acme, `did${made}`, large())
  const kept: number[] = []
  for (let made = 0; made < 100; made++) if ((await cache.get(acme, `did${made}`)) !== null) kept.push(made)
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.length * 256).toBeLessThanOrEqual(5 * 1024)
  expect(kept.at(-1)).toBe(99)
})
