/** Where a wallet is reached, and by which keys it is known, also where its DID document names no service. */
import {
  type AgentContext,
  type DependencyManager,
  type DidDocument,
  DidRepository,
  DidResolverService,
  getPublicJwkFromVerificationMethod,
  Kms,
  type VerificationMethod,
} from '@credo-ts/core'
import { DidCommDocumentService } from '@credo-ts/didcomm'
import type { Ed25519Key } from './keys/ed25519-key.ts'
import { QUEUE } from './return-route.ts'

/** The Ed25519 keys that the agent of a DID may pack its messages with, by their verification methods. */
const authenticationKeys = (document: DidDocument): { method: VerificationMethod; key: Ed25519Key }[] =>
  (document.authentication ?? []).flatMap((one) => {
    try {
      const method = typeof one === 'string' ? document.dereferenceVerificationMethod(one) : one
      const key = getPublicJwkFromVerificationMethod(method)
      return key.is(Kms.Ed25519PublicJwk) ? [{ method, key }] : []
    } catch {
      // Credo throws for a key that it has no name for.
      return []
    }
  })

/** The verification method by which a key may speak for a DID; undefined where it may not. */
export const authenticationMethod = (document: DidDocument, sender: Ed25519Key): VerificationMethod | undefined =>
  authenticationKeys(document).find(({ key }) => key.equals(sender))?.method

type Services = Awaited<ReturnType<DidCommDocumentService['resolveServicesFromDid']>>

/** A document without a service stands for one whose service is a queue: Credo would know no key to pack for, and fail as if we were at fault. */
export class DocumentService extends DidCommDocumentService {
  readonly #resolver: DidResolverService

  constructor(services: Pick<DependencyManager, 'resolve'>) {
    const resolver = services.resolve(DidResolverService)
    super(resolver, services.resolve(DidRepository))
    this.#resolver = resolver
  }

  override async resolveServicesFromDid(agentContext: AgentContext, did: string): Promise<Services> {
    const services = await super.resolveServicesFromDid(agentContext, did)
    if (services.length > 0 || did.includes('#')) return services
    const keys = authenticationKeys(await this.#resolver.resolveDidDocument(agentContext, did))
    return [{ id: '#queue', recipientKeys: keys.map(({ key }) => key), routingKeys: [], serviceEndpoint: QUEUE }]
  }
}
