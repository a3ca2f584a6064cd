/** SD-JWTs and their presentations as @sd-jwt/core makes them: another implementation. */
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto'
import { SDJwtInstance } from '@sd-jwt/core'

const signer = (key: KeyObject) => (data: string) =>
  sign('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')

export const foreignIssuer = (issuer: KeyObject, holder: KeyObject) => {
  const instance = new SDJwtInstance<Record<string, unknown>>({
    signer: signer(issuer),
    signAlg: 'ES256',
    hasher: (data, algorithm) =>
      createHash(algorithm.replace('-', ''))
        .update(Buffer.from(data as never))
        .digest(),
    hashAlg: 'sha-256',
    saltGenerator: () => randomBytes(16).toString('base64url'),
    kbSigner: signer(holder),
    kbSignAlg: 'ES256',
  })
  return {
    issue: (claims: Record<string, unknown>, frame?: object): Promise<string> =>
      instance.issue(claims, frame as never, { header: { typ: 'dc+sd-jwt' } }),
    present: (sdJwt: string, frame: object, binding?: Record<string, unknown>): Promise<string> =>
      instance.present(sdJwt, frame as never, binding === undefined ? {} : { kb: { payload: binding as never } }),
  }
}
