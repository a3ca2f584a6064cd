/** The wallet's key management: the service's, with the additional operations of Credo's own envelopes. */
import { type AgentContext, Kms } from '@credo-ts/core'
import { decryptContent, encryptContent } from '../../lib/agent/keys/content-encryption.ts'
import { x25519PublicKey } from '../../lib/agent/keys/crypto-box.ts'
import { decryptByAgreement, encryptByAgreement } from '../../lib/agent/keys/key-agreement.ts'
import { KeyManagementService } from '../../lib/agent/keys/key-management-service.ts'
import { MemoryKeyStore } from './memory-key-store.ts'

const NOTHING = new Uint8Array()
const bytes = (base64url = ''): Uint8Array => Buffer.from(base64url, 'base64url')
const contentKeyOf = (jwk: unknown): Uint8Array => bytes(Object(jwk).k)
const publicKeyOf = (jwk: unknown) => x25519PublicKey(bytes(Object(jwk).x))

export class WalletKeys extends KeyManagementService {
  readonly store: MemoryKeyStore

  constructor(store = new MemoryKeyStore()) {
    super(store)
    this.store = store
  }

  override isOperationSupported(context: AgentContext, operation: Kms.KmsOperation): boolean {
    return ['encrypt', 'decrypt'].includes(operation.operation) || super.isOperationSupported(context, operation)
  }

  override async encrypt(context: AgentContext, options: Kms.KmsEncryptOptions): Promise<Kms.KmsEncryptReturn> {
    const { key, encryption, data } = options
    const { algorithm, keyId, externalPublicJwk } = Object(key.keyAgreement)
    const { encrypted, ...parts } =
      algorithm === 'ECDH-HSALSA20'
        ? encryptByAgreement(keyId && (await this.#privateKey(context, keyId)), publicKeyOf(externalPublicJwk), data)
        : encryptContent(contentKeyOf(key.privateJwk), data, Object(encryption).aad ?? NOTHING)
    const copied = Object.entries(parts).map(([name, part]) => [name, Uint8Array.from(part)])
    return { encrypted: Uint8Array.from(encrypted), ...Object.fromEntries(copied) }
  }

  override async decrypt(context: AgentContext, options: Kms.KmsDecryptOptions): Promise<Kms.KmsDecryptReturn> {
    const { key, decryption, encrypted } = options
    const { algorithm, keyId, externalPublicJwk } = Object(key.keyAgreement)
    const { iv = NOTHING, tag = NOTHING, aad = NOTHING } = Object(decryption)
    if (algorithm !== 'ECDH-HSALSA20')
      return { data: Uint8Array.from(decryptContent(contentKeyOf(key.privateJwk), { encrypted, iv, tag }, aad)) }
    const from = externalPublicJwk && { sender: publicKeyOf(externalPublicJwk), nonce: iv }
    return { data: Uint8Array.from(decryptByAgreement(await this.#privateKey(context, keyId), encrypted, from)) }
  }

  async #privateKey(context: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate> {
    const jwk = await this.store.get(context, keyId)
    if (jwk === null) throw new Kms.KeyManagementKeyNotFoundError(keyId, [this.backend])
    return jwk
  }
}
