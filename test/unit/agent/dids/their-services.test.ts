/** Endpoints and keys of other agents. */
import { type AgentContext, Kms } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { reachableKeysOf } from '../../../../lib/agent/dids/their-services.ts'

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
