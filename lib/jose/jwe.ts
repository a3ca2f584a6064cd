/** Decrypts JWEs in compact form (RFC 7516) that are encrypted to a key of ours, such as responses of wallets. */
import type { KeyObject } from 'node:crypto'
import { compactDecrypt } from 'jose/jwe/compact/decrypt'
import { JoseError } from './errors.ts'
import { parseObject } from './json-part.ts'

/** Characters. */
const MAX_LENGTH = 256 * 1024

/** Direct key agreement: the part of the encrypted key is empty (RFC 7518, section 4.6). */
const COMPACT = /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/

/** OpenID4VC High Assurance Interoperability Profile 1.0, section 5: wallets use one of them. */
export const ENCRYPTION_ALGORITHMS = ['A128GCM', 'A256GCM']

/** Compression allows decompression bombs; the other parameters belong to algorithms that are not supported. */
const REJECTED = ['zip', 'crit', 'p2c', 'p2s', 'iv', 'tag']

const assertHeader = (text: string, kid: string): void => {
  const header = parseObject(text.slice(0, text.indexOf('.')))
  if (header.alg !== 'ECDH-ES') throw new JoseError('the algorithm of the JWE must be ECDH-ES')
  if (typeof header.enc !== 'string' || !ENCRYPTION_ALGORITHMS.includes(header.enc))
    throw new JoseError(`the content encryption of the JWE must be one of ${ENCRYPTION_ALGORITHMS.join(', ')}`)
  const rejected = REJECTED.find((name) => Object.hasOwn(header, name))
  if (rejected !== undefined) throw new JoseError(`the JWE has ${rejected} in its header, which is not supported`)
  if (Object.hasOwn(header, 'kid') && header.kid !== kid) throw new JoseError('the JWE is encrypted to another key')
}

/** The plaintext. `kid` is compared if the header has one. Throws a JoseError. */
export const decryptJwe = async (text: unknown, privateKey: KeyObject, kid: string): Promise<string> => {
  if (typeof text !== 'string') throw new JoseError('the JWE is not a text')
  if (text.length > MAX_LENGTH) throw new JoseError(`the JWE has over ${MAX_LENGTH} characters`)
  if (!COMPACT.test(text)) throw new JoseError('the JWE is not in compact form with direct key agreement')
  assertHeader(text, kid)
  try {
    const { plaintext } = await compactDecrypt(text, privateKey)
    return new TextDecoder('utf-8', { fatal: true }).decode(plaintext)
  } catch {
    throw new JoseError('the JWE cannot be decrypted with the key')
  }
}
