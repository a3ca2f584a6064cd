/** The sample credential: an SD-JWT VC of an identity, issued and presented by @sd-jwt/core. */
import { hash, randomBytes, type webcrypto } from 'node:crypto'
import { SDJwtInstance } from '@sd-jwt/core'
import { exportJWK } from 'jose'
import { ISSUER, newKeys, type Signer, sign } from './sample-issuer.ts'
import { INDEX } from './status-list.ts'

export const VCT = 'https://credentials.example/identity'

/** Each can be disclosed alone. */
export const CLAIMS = {
  given_name: 'Ada',
  family_name: 'Lovelace',
  birthdate: '1815-12-10',
  nationalities: ['GB'],
  address: { street_address: '12 St James’s Square', locality: 'London', country: 'GB' },
}

const DISCLOSURES = {
  _sd: ['given_name', 'family_name', 'birthdate', 'nationalities'],
  address: { _sd: ['street_address', 'locality', 'country'] },
} as const

/** `sha-256` is SHA-256 to node. */
const digest = (data: string | ArrayBuffer, algorithm: string): Uint8Array =>
  hash(algorithm.replace('-', ''), typeof data === 'string' ? data : new Uint8Array(data), 'buffer')

const parts = {
  hasher: digest,
  saltGenerator: (length: number) => randomBytes(length).toString('base64url'),
}

const now = (): number => Math.floor(Date.now() / 1000)

export interface SampleCredential {
  compact: string
  /** Undefined where it is bound to no key. */
  holderKey?: webcrypto.CryptoKey | undefined
}

/** A new one, for a new key of the holder. Without `statusUri` it has no status. */
export const issueSample = async ({ key, x5c }: Signer, statusUri?: string): Promise<SampleCredential> => {
  const issuer = new SDJwtInstance({ ...parts, signAlg: 'ES256', signer: (data) => sign(data, key) })
  const holder = await newKeys()
  const payload = {
    ...{ iss: ISSUER, vct: VCT, iat: now(), exp: now() + 24 * 60 * 60 },
    cnf: { jwk: await exportJWK(holder.publicKey) },
    ...(statusUri !== undefined && { status: { status_list: { idx: INDEX, uri: statusUri } } }),
    ...CLAIMS,
  }
  const compact = await issuer.issue(payload, Object(DISCLOSURES), { header: { typ: 'dc+sd-jwt', x5c } })
  return { compact, holderKey: holder.privateKey }
}

/** Which disclosures a value needs: those of an object by name, of a list all. */
const frameOf = (disclosed: unknown): unknown =>
  typeof disclosed === 'object' && disclosed !== null && !Array.isArray(disclosed)
    ? Object.fromEntries(Object.entries(disclosed).map(([name, value]) => [name, frameOf(value)]))
    : true

/** The contents of a key binding. */
export interface Binding {
  aud: string
  nonce: string
  transaction_data_hashes?: string[]
  transaction_data_hashes_alg?: string
}

/** Presents the disclosed claims, bound to the holder's key (RFC 9901, section 4.3). */
export const presentSample = (
  { compact, holderKey }: SampleCredential,
  disclosed: Record<string, unknown>,
  binding: Binding,
): Promise<string> => {
  const frame = Object(frameOf(disclosed))
  if (holderKey === undefined) return new SDJwtInstance(parts).present(compact, frame)
  const holder = new SDJwtInstance({ ...parts, kbSignAlg: 'ES256', kbSigner: (data) => sign(data, holderKey) })
  return holder.present(compact, frame, { kb: { payload: { iat: now(), ...binding } } })
}
