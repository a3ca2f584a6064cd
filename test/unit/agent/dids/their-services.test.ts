/** Endpoints and keys of other agents. */
import { createECDH } from 'node:crypto'
import { type AgentContext, DidDocument, Kms, VerificationMethod } from '@credo-ts/core'
import { expect, test } from 'vitest'
import {
  reachableKeysOf,
  reachableServicesOf,
  recipientKeysOf,
  servicesOrQueue,
} from '../../../../lib/agent/dids/their-services.ts'

const keys = (count: number) =>
  Array.from({ length: count }, (_, key) =>
    Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey: new Uint8Array(32).fill(key) }),
  )

test('of a document with any number of keys four are known, each once', async () => {
  const recipientKeys = keys(5)
  const services = [{ serviceEndpoint: 'https://example.org', recipientKeys }]
  const documents = { resolveServicesFromDid: async () => [...services, ...services] }
  const context = { resolve: () => documents } as unknown as AgentContext
  const known = recipientKeys.slice(0, 4).map(({ fingerprint }) => fingerprint)
  expect(await reachableKeysOf(context, 'did:web:example.org')).toEqual(known)
})

test.each([1, 16])('a DID whose document has %i recipient keys can be rotated to', async (count) => {
  expect(await recipientKeysOf(contextWith(count), id)).toEqual(keys(count).map(({ fingerprint }) => fingerprint))
})

test.each([0, 17])('a DID whose document has %i recipient keys cannot be used', async (count) => {
  await expect(recipientKeysOf(contextWith(count), id)).rejects.toMatchObject({ code: 'e.did.doc_unsupported' })
})

test('a DID cannot be used if the address guard rejects one of its endpoints', async () => {
  const reachable = (...endpoints: string[]) => {
    const services = endpoints.map((serviceEndpoint) => ({ serviceEndpoint }))
    return reachableServicesOf(Object({ resolve: () => ({ resolveServicesFromDid: async () => services }) }), id)
  }
  const [first, other] = ['https://example.org', 'HTTPS://wallet.example/a']
  expect(await reachable(first, 'didcomm:transport/queue', other)).toHaveLength(2)
  for (const endpoint of ['https://user:password@example.org', 'https://example.org:99999'])
    for (const endpoints of [
      [first, endpoint],
      [endpoint, other],
    ])
      await expect(reachable(...endpoints)).rejects.toMatchObject({ code: 'e.did.doc_unsupported' })
})

const id = 'did:web:example.org'

const contextWith = (count: number): AgentContext =>
  Object({
    resolve: () => ({
      resolve: async () => ({ didDocument: { recipientKeys: keys(count) }, didResolutionMetadata: {} }),
    }),
  })

const publicKeyMultibase = 'z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
const servicesOf = (authentication: VerificationMethod[]) => {
  const document = new DidDocument({ id, authentication })
  const context = { resolve: () => ({ resolveDidDocument: async () => document }) } as unknown as AgentContext
  return servicesOrQueue(context, id, [])
}

test('where a document has no service, messages wait for its Ed25519 keys, and for no others', async () => {
  const [ed25519, p256] = [
    { id: `${id}#a`, type: 'Ed25519VerificationKey2020', controller: id, publicKeyMultibase },
    {
      ...{ id: `${id}#b`, type: 'JsonWebKey2020', controller: id },
      publicKeyJwk: Kms.PublicJwk.fromPublicKey({
        ...{ kty: 'EC', crv: 'P-256' },
        publicKey: createECDH('prime256v1').generateKeys(),
      }).toJson(),
    },
  ].map((method) => new VerificationMethod(method)) as [VerificationMethod, VerificationMethod]
  const [{ recipientKeys } = { recipientKeys: [] }] = await servicesOf([p256, ed25519])
  expect(recipientKeys.map(({ fingerprint }) => fingerprint)).toEqual([publicKeyMultibase])
})

test('where every key of such a document has expired, nothing waits: no message could be decrypted', async () => {
  const method = { id: `${id}#a`, type: 'Ed25519VerificationKey2020', controller: id, publicKeyMultibase }
  const saying = (expires: string | null) => Object.assign(new VerificationMethod(method), { expires })
  expect(await servicesOf([saying('2026-01-02T00:00:00Z')])).toEqual([])
  expect(await servicesOf([saying(null)])).toHaveLength(1)
})

test('a DID whose document only another connection has is rejected', async () => {
  const recipientKeys = [Kms.PublicJwk.fromFingerprint(publicKeyMultibase)]
  const services = {
    resolve: async () => ({ didDocument: { recipientKeys }, didResolutionMetadata: {} }),
    resolveServicesFromDid: async () => [{ serviceEndpoint: 'https://example.org', recipientKeys }],
  }
  const context = { resolve: () => services } as unknown as AgentContext
  for (const did of ['did:peer:1zQmZMygz', 'did:peer:4zQmd8Cpe']) {
    for (const rest of ['', '#service', '#a:b', '?a:b', '/a:b', ';a=b:c'])
      for (const keysOf of [recipientKeysOf, reachableKeysOf])
        await expect(keysOf(context, did + rest)).rejects.toMatchObject({ code: 'e.did.unresolvable' })
  }
  for (const keysOf of [recipientKeysOf, reachableKeysOf])
    expect(await keysOf(context, 'did:peer:4zQmd8Cpe:z2document')).toEqual([publicKeyMultibase])
})
