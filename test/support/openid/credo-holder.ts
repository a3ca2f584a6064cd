/** Credo's holder of OpenID4VC: another vendor's wallet, in memory. */
import { createCipheriv, createHash, createPrivateKey, createPublicKey, diffieHellman, randomBytes } from 'node:crypto'
import {
  Agent,
  type AgentContext,
  ConsoleLogger,
  type DependencyManager,
  DidsModule,
  InjectionSymbols,
  JwkDidRegistrar,
  JwkDidResolver,
  Kms,
  LogLevel,
  SdJwtVcRecord,
  X509Module,
} from '@credo-ts/core'
import { OpenId4VcModule } from '@credo-ts/openid4vc'
import { agentDependencies } from '../../../lib/agent/credo/root-agent.ts'
import { MemoryStorage } from '../../wallet/memory-storage.ts'
import { WalletKeys } from '../../wallet/wallet-keys.ts'

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const withLength = (bytes: Uint8Array) => Buffer.concat([int32(bytes.length), bytes])

/** Concat KDF of direct key agreement (RFC 7518, section 4.6.2). */
const contentKey = (
  secret: Buffer,
  algorithm: string,
  apu: Uint8Array = new Uint8Array(),
  apv: Uint8Array = new Uint8Array(),
): Buffer => {
  const bits = Number(/\d+/.exec(algorithm)?.[0])
  const info = [Buffer.from(algorithm), apu, apv].map(withLength)
  const key = createHash('sha256').update(Buffer.concat([int32(1), secret, ...info, int32(bits)]))
  return key.digest().subarray(0, bits / 8)
}

/** Also encrypts by ECDH-ES, which responses need. */
class HolderKeys extends WalletKeys {
  override async encrypt(context: AgentContext, options: Kms.KmsEncryptOptions): Promise<Kms.KmsEncryptReturn> {
    const agreement = options.key.keyAgreement
    if (agreement?.algorithm !== 'ECDH-ES') return super.encrypt(context, options)
    const { keyId, externalPublicJwk, apu, apv } = agreement
    const secret = diffieHellman({
      privateKey: createPrivateKey({ key: Object(await this.store.get(context, keyId)), format: 'jwk' }),
      publicKey: createPublicKey({ key: Object(externalPublicJwk), format: 'jwk' }),
    })
    const { algorithm, iv = randomBytes(12), aad } = options.encryption as Kms.KmsEncryptDataEncryptionAesGcm
    const key = contentKey(secret, algorithm, apu, apv)
    const cipher = createCipheriv(algorithm === 'A128GCM' ? 'aes-128-gcm' : 'aes-256-gcm', key, iv)
    if (aad !== undefined) cipher.setAAD(aad)
    const encrypted = Uint8Array.from(Buffer.concat([cipher.update(options.data), cipher.final()]))
    return { encrypted, iv: Uint8Array.from(iv), tag: Uint8Array.from(cipher.getAuthTag()) }
  }
}

/** Trusts certificates, and sends requests by `fetchFrom`. */
export const startCredoHolder = async (trustedCertificates: string[], fetchFrom?: typeof fetch) => {
  const agent = new Agent({
    config: { logger: new ConsoleLogger(LogLevel.off) },
    // The global one is looked up at each request: tests replace it.
    dependencies: { ...agentDependencies, fetch: fetchFrom ?? ((url, init) => fetch(url, init)) },
    modules: {
      storage: {
        register: (manager: DependencyManager) =>
          manager.registerInstance(InjectionSymbols.StorageService, new MemoryStorage()),
      },
      kms: new Kms.KeyManagementModule({ backends: [new HolderKeys()] }),
      dids: new DidsModule({ registrars: [new JwkDidRegistrar()], resolvers: [new JwkDidResolver()] }),
      x509: new X509Module({ trustedCertificates: trustedCertificates as [string] }),
      openid4vc: new OpenId4VcModule(),
    },
  })
  await agent.initialize()
  const { holder } = agent.openid4vc
  const newKey = () => agent.kms.createKey({ type: { kty: 'EC', crv: 'P-256' } })

  /** Stores a credential that `issue` makes for a new key of the wallet. */
  const keep = async (issue: (publicJwk: object) => Promise<string>): Promise<void> => {
    const { keyId, publicJwk } = await newKey()
    const compactSdJwtVc = await issue(publicJwk)
    const record = new SdJwtVcRecord({ credentialInstances: [{ compactSdJwtVc, kmsKeyId: keyId }] })
    await agent.sdJwtVc.store({ record })
  }

  /** Accepts all offers of a link, each for `count` keys, and stores the credentials. */
  const take = async (link: string, { txCode, count }: { txCode: string | undefined; count: number }) => {
    const resolvedCredentialOffer = await holder.resolveCredentialOffer(link)
    const token = await holder.requestToken({ resolvedCredentialOffer, ...(txCode !== undefined && { txCode }) })
    const keys = async () =>
      Promise.all(Array.from({ length: count }, async () => Kms.PublicJwk.fromPublicJwk((await newKey()).publicJwk)))
    const taken = await holder.requestCredentials({
      resolvedCredentialOffer,
      ...token,
      credentialBindingResolver: async () => ({ method: 'jwk', keys: await keys() }),
    })
    for (const { record, notificationId } of taken.credentials) {
      if (record instanceof SdJwtVcRecord) await agent.sdJwtVc.store({ record })
      if (notificationId !== undefined)
        await holder.sendNotification({
          metadata: resolvedCredentialOffer.metadata,
          accessToken: token.accessToken,
          notificationId,
          notificationEvent: 'credential_accepted' as never,
        })
    }
    return taken.credentials
  }

  /** Answers the request behind a link; returns the redirect URI for its user. */
  const present = async (link: string): Promise<{ status: number; redirectUri: string | undefined }> => {
    const { authorizationRequestPayload, dcql } = await holder.resolveOpenId4VpAuthorizationRequest(link)
    if (dcql === undefined) throw new Error('the request asks for nothing by DCQL')
    const credentials = holder.selectCredentialsForDcqlRequest(dcql.queryResult)
    const { serverResponse, redirectUri } = Object(
      await holder.acceptOpenId4VpAuthorizationRequest({ authorizationRequestPayload, dcql: { credentials } }),
    )
    return { status: serverResponse.status, redirectUri }
  }
  return { keep, take, present, stop: () => agent.shutdown() }
}
