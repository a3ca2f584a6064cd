/** Endpoints and keys of other agents. */
import { createECDH } from 'node:crypto'
import { type AgentContext, DidDocument, Kms, VerificationMethod } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { reachableKeysOf, servicesOrQueue } from '../../../../lib/agent/dids/their-services.ts'

test('of a document with any number of keys four are known, each once', async () => {
  const recipientKeys = Array.from({ length: 5 }, (_, key) =>
    Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey: new Uint8Array(32).fill(key) }),
  )
  const services = [{ serviceEndpoint: 'https://example.org', recipientKeys }]
  const documents = { resolveServicesFromDid: async () => [...services, ...services] }
  const context = { resolve: () => documents } as unknown as AgentContext
  const known = recipientKeys.slice(0, 4).map(({ fingerprint }) => fingerprint)
  expect(await reachableKeysOf(context, 'did:web:example.org')).toEqual(known)
})

test('where a document has no service, messages wait for its Ed25519 keys, and for no others', async () => {
  const id = 'did:web:example.org'
  const publicKeyMultibase = 'z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
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
  const document = new DidDocument({ id, authentication: [p256, ed25519] })
  const context = { resolve: () => ({ resolveDidDocument: async () => document }) } as unknown as AgentContext
  const [{ recipientKeys } = { recipientKeys: [] }] = await servicesOrQueue(context, id, [])
  expect(recipientKeys.map(({ fingerprint }) => fingerprint)).toEqual([publicKeyMultibase])
})
