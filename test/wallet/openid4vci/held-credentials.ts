/** The credentials of the wallet at the terminal: a private file, with the keys that they are bound to. */
import { hash, webcrypto } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { SDJwtInstance } from '@sd-jwt/core'
import { exportJWK } from 'jose'
import * as v from 'valibot'
import { privateFile } from '../../../infra/local/private-file.ts'
import type { Holding } from '../openid4vp/answer.ts'
import { ECDSA } from '../openid4vp/sample-issuer.ts'

const Held = v.object({ compact: v.string(), key: v.optional(v.record(v.string(), v.unknown())) })
const File = v.pipe(v.string(), v.parseJson(), v.array(Held))

const hasher = (data: string | ArrayBuffer, algorithm: string): Uint8Array =>
  hash(algorithm.replace('-', ''), typeof data === 'string' ? data : new Uint8Array(data), 'buffer')

/** The claims of a credential that verifiers may request. Throws for one that is not an SD-JWT VC. */
const claimsOf = async (compact: string) =>
  v.parse(v.looseObject({ vct: v.string() }), await new SDJwtInstance({ hasher }).getClaims(compact))

const read = async (file: string) => v.parse(File, await privateFile(file, () => '[]'))

/** Adds credentials, the newest first. Throws for one that is not an SD-JWT VC. */
export const addHeld = async (file: string, compact: string, key?: webcrypto.CryptoKey) => {
  const claims = await claimsOf(compact)
  const added = { compact, ...(key !== undefined && { key: await exportJWK(key) }) }
  await writeFile(file, JSON.stringify([added, ...(await read(file))]))
  return claims
}

/** All that are held. */
export const heldCredentials = async (file: string): Promise<Holding[]> =>
  Promise.all(
    (await read(file)).map(async ({ compact, key }) => {
      const holderKey = key && (await webcrypto.subtle.importKey('jwk', key, ECDSA, false, ['sign']))
      const claims = await claimsOf(compact)
      return { vct: claims.vct, claims, isBound: key !== undefined, compact, holderKey }
    }),
  )
