/** Credo's key management with Node's crypto and a key store: everything that DIDs and W3C credentials need. */
import { randomBytes } from 'node:crypto'
import { type AgentContext, Kms } from '@credo-ts/core'
import { generateJwk } from '../../keys/index.ts'
import { isSupportedKeyType, newKeyId } from './key-pair.ts'
import { type KeyStore, sealedKeys } from './sealed-key-store.ts'
import { isSignatureAlgorithm, signWith, verifyWith } from './signature.ts'

/** Credo calls this service, which calls the store. */
export class KeyManagementService implements Kms.KeyManagementService {
  readonly backend = 'serverless-agent'
  readonly #store: KeyStore

  constructor(store: KeyStore) {
    this.#store = store
  }

  isOperationSupported(_agentContext: AgentContext, operation: Kms.KmsOperation): boolean {
    switch (operation.operation) {
      case 'createKey':
        return isSupportedKeyType(operation.type)
      case 'sign':
      case 'verify':
        return isSignatureAlgorithm(operation.algorithm)
      case 'deleteKey':
      case 'randomBytes':
        return true
      default:
        return false
    }
  }

  async getPublicKey(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPublic | null> {
    const jwk = await this.#store.get(agentContext, keyId)
    return jwk && { ...Kms.publicJwkFromPrivateJwk(jwk), kid: keyId }
  }

  async createKey<Type extends Kms.KmsCreateKeyType>(
    agentContext: AgentContext,
    { type, keyId: requestedId }: Kms.KmsCreateKeyOptions<Type>,
  ): Promise<Kms.KmsCreateKeyReturn<Type>> {
    if (!isSupportedKeyType(type)) throw this.#notSupported(`keys of type ${type.kty}`)
    const pair = generateJwk(type.crv)
    const keyId = newKeyId(pair, requestedId)
    const jwk = { ...pair, kid: keyId }
    await this.#store.insert(agentContext, keyId, jwk)
    const { d: _, ...publicJwk } = jwk
    // The type depends on the value of `Type`, which the compiler cannot follow.
    return { keyId, publicJwk } as Kms.KmsCreateKeyReturn<Type>
  }

  deleteKey(agentContext: AgentContext, { keyId }: Kms.KmsDeleteKeyOptions): Promise<boolean> {
    return this.#store.delete(agentContext, keyId)
  }

  randomBytes(_agentContext: AgentContext, { length }: Kms.KmsRandomBytesOptions): Kms.KmsRandomBytesReturn {
    return Uint8Array.from(randomBytes(length))
  }

  async sign(agentContext: AgentContext, { keyId, algorithm, data }: Kms.KmsSignOptions): Promise<Kms.KmsSignReturn> {
    if (!isSignatureAlgorithm(algorithm)) throw this.#notSupported(algorithm)
    return { signature: signWith(await this.#privateKey(agentContext, keyId), algorithm, data) }
  }

  async verify(agentContext: AgentContext, options: Kms.KmsVerifyOptions): Promise<Kms.KmsVerifyReturn> {
    const { key, algorithm, data, signature } = options
    if (!isSignatureAlgorithm(algorithm)) throw this.#notSupported(algorithm)
    const jwk = key.keyId === undefined ? key.publicJwk : await this.#privateKey(agentContext, key.keyId)
    const publicJwk = Kms.publicJwkFromPrivateJwk(jwk)
    return verifyWith(publicJwk, algorithm, data, signature) ? { verified: true, publicJwk } : { verified: false }
  }

  // Not used: ../envelopes encrypts and decrypts, and ../dids stores the key of a seed.

  importKey(): never {
    throw this.#notSupported('the import of keys')
  }

  encrypt(_agentContext: AgentContext, _options: Kms.KmsEncryptOptions): Promise<Kms.KmsEncryptReturn> {
    throw this.#notSupported('encryption')
  }

  decrypt(_agentContext: AgentContext, _options: Kms.KmsDecryptOptions): Promise<Kms.KmsDecryptReturn> {
    throw this.#notSupported('decryption')
  }

  async #privateKey(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate> {
    const jwk = await this.#store.get(agentContext, keyId)
    if (!jwk) throw new Kms.KeyManagementKeyNotFoundError(keyId, [this.backend])
    return jwk
  }

  #notSupported(what: string) {
    return new Kms.KeyManagementAlgorithmNotSupportedError(what, this.backend)
  }
}

/** The key management of the process's agents. */
export const keyManagement = new KeyManagementService(sealedKeys)
