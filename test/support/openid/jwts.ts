/** Keys, and JWTs that a correct implementation would not make. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export const newKey = (namedCurve: 'P-256' | 'P-384' | 'P-521' | 'Ed25519' | 'secp256k1' = 'P-256') => {
  const pair = namedCurve === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve })
  return { privateKey: pair.privateKey, jwk: pair.publicKey.export({ format: 'jwk' }) }
}

export const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')
export const seconds = (): number => Math.floor(Date.now() / 1000)

/** Signs any header and payload, also texts that are not JSON. */
export const rawJwt = (key: KeyObject, header: unknown, payload: unknown, hash: string | null = 'sha256'): string => {
  const parts = [header, payload].map((part) =>
    typeof part === 'string' ? Buffer.from(part).toString('base64url') : base64url(part),
  )
  const signed = sign(hash, Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' })
  return `${parts.join('.')}.${signed.toString('base64url')}`
}
