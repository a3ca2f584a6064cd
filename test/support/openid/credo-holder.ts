/** Credo's holder of OpenID4VC, in memory: a wallet of others. */
import {
  Agent,
  type DependencyManager,
  DidsModule,
  InjectionSymbols,
  JwkDidResolver,
  Kms,
  SdJwtVcRecord,
  X509Module,
} from '@credo-ts/core'
import { OpenId4VcModule } from '@credo-ts/openid4vc'
import { agentDependencies } from '../../../lib/agent/credo/root-agent.ts'
import { KeyManagementService } from '../../../lib/agent/keys/key-management-service.ts'
import { MemoryKeyStore } from '../../wallet/memory-key-store.ts'
import { MemoryStorage } from '../../wallet/memory-storage.ts'

/** A wallet that trusts certificates, and asks by `fetch`. */
export const startCredoHolder = async (fetchFrom: typeof fetch, trustedCertificates: string[]) => {
  const agent = new Agent({
    dependencies: { ...agentDependencies, fetch: fetchFrom },
    modules: {
      storage: {
        register: (dependencyManager: DependencyManager) =>
          dependencyManager.registerInstance(InjectionSymbols.StorageService, new MemoryStorage()),
      },
      kms: new Kms.KeyManagementModule({ backends: [new KeyManagementService(new MemoryKeyStore())] }),
      dids: new DidsModule({ registrars: [], resolvers: [new JwkDidResolver()] }),
      x509: new X509Module({ trustedCertificates: trustedCertificates as [string] }),
      openid4vc: new OpenId4VcModule({}),
    },
  })
  await agent.initialize()
  const { holder } = agent.openid4vc
  const newKey = async () => {
    const { publicJwk } = await agent.kms.createKey({ type: { kty: 'EC', crv: 'P-256' } })
    return Kms.PublicJwk.fromPublicJwk(publicJwk)
  }

  /** Takes all that a link offers, each for `count` keys, and keeps it. */
  const take = async (link: string, { txCode, count }: { txCode: string | undefined; count: number }) => {
    const resolvedCredentialOffer = await holder.resolveCredentialOffer(link)
    const token = await holder.requestToken({ resolvedCredentialOffer, ...(txCode !== undefined && { txCode }) })
    const taken = await holder.requestCredentials({
      resolvedCredentialOffer,
      ...token,
      credentialBindingResolver: async () => ({
        method: 'jwk',
        keys: await Promise.all(Array.from({ length: count }, newKey)),
      }),
    })
    for (const { record } of taken.credentials)
      if (record instanceof SdJwtVcRecord) await agent.sdJwtVc.store({ record })
    for (const { notificationId } of taken.credentials)
      if (notificationId !== undefined)
        await holder.sendNotification({
          metadata: resolvedCredentialOffer.metadata,
          accessToken: token.accessToken,
          notificationId,
          notificationEvent: 'credential_accepted' as never,
        })
    return taken.credentials
  }

  /** Answers a request with what it has; resolves to the verifier's status. */
  const present = async (link: string) => {
    const { authorizationRequestPayload, dcql } = await holder.resolveOpenId4VpAuthorizationRequest(link)
    if (dcql === undefined) throw new Error('the request has no DCQL query')
    const credentials = holder.selectCredentialsForDcqlRequest(dcql.queryResult)
    const accepted = { authorizationRequestPayload, dcql: { credentials } }
    const { serverResponse } = await holder.acceptOpenId4VpAuthorizationRequest(accepted)
    return serverResponse?.status
  }
  return { take, present, stop: () => agent.shutdown() }
}
