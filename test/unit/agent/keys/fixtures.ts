/** What the tests of keys share: a service with an empty store, an agent context, bytes as text. */
import { AgentContext, DependencyManager } from '@credo-ts/core'
import { KeyManagementService } from '../../../../lib/agent/keys/key-management-service.ts'
import { MemoryKeyStore } from '../../../wallet/memory-key-store.ts'

export const context = (tenant: string) =>
  new AgentContext({ contextCorrelationId: tenant, dependencyManager: new DependencyManager() })
export const acme = context('acme')
export const service = () => new KeyManagementService(new MemoryKeyStore())

export const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
export const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
export const hello = new TextEncoder().encode('hello')

export const ed25519 = { kty: 'OKP', crv: 'Ed25519' } as const
