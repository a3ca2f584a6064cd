/** A verifier of a tenant and an issuer of credentials, for the tests of OpenID4VP: the wallet's part is written here. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CompactEncrypt, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import { jwkOf } from '../../../lib/keys/key-pair.ts'
import { readCertificate } from '../../../lib/x509/certificate.ts'
import { type CertificateContent, makeCertificate } from '../../../lib/x509/make.ts'
import { foreignIssuer } from '../../unit/sd-jwt/foreign-issuer.ts'
import { createTenant } from '../scenes.ts'
import { atHttps } from '../stage/at-https.ts'
import type { Caller, InProcessStage, Json, Reply } from '../stage/in-process-stage.ts'
import { newKey, rawJwt, seconds } from './jwts.ts'

export const VCT = 'https://credentials.example/identity'

const DAY = 24 * 60 * 60_000
const dates = () => ({ notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + 365 * DAY) })
const critical = { keyUsage: true, extendedKeyUsage: false, alternativeNames: false }

/** A root, and a leaf below it; `more`: deviations of the leaf. */
export const newAuthority = async (name: string, more: Partial<CertificateContent> = {}) => {
  const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const [rootKey, leafKey] = [pair(), pair()]
  const root = await makeCertificate(
    { subject: `CN=${name} Root`, ca: {}, keyUsage: ['keyCertSign'], critical, ...dates() },
    jwkOf(rootKey),
  )
  const issuer = { certificate: readCertificate(root), jwk: jwkOf(rootKey) }
  const leaf = await makeCertificate(
    { subject: `CN=${name}`, keyUsage: ['digitalSignature'], critical, ...dates(), ...more },
    jwkOf(leafKey),
    issuer,
  )
  return { root, leaf, leafKey }
}
export type Authority = Awaited<ReturnType<typeof newAuthority>>

const CLAIMS = { given_name: 'Erika', family_name: 'Mustermann', age: 42 }

/** A credential as @sd-jwt/core makes it, signed anew with the issuer's chain in its header. */
export const issueTo = async (
  holder: { jwk: object; privateKey: KeyObject },
  { leaf, leafKey }: Authority,
  claims: Record<string, unknown> = {},
): Promise<string> => {
  const payload = { vct: VCT, iat: seconds(), cnf: { jwk: holder.jwk }, ...CLAIMS, ...claims }
  const made = await foreignIssuer(leafKey, holder.privateKey).issue(payload, {
    _sd: Object.keys(CLAIMS).filter((name) => name in payload),
  })
  const [jwt = '', ...disclosures] = made.split('~')
  const signed = rawJwt(leafKey, { alg: 'ES256', typ: 'dc+sd-jwt', x5c: [leaf] }, decodeJwt(jwt))
  return [signed, ...disclosures].join('~')
}

export const QUERY = {
  credentials: [
    {
      id: 'identity',
      format: 'dc+sd-jwt',
      meta: { vct_values: [VCT] },
      claims: [{ path: ['given_name'] }, { path: ['age'] }],
    },
  ],
}

export interface ReadRequest {
  session: Json
  /** Payload of the request object. */
  payload: Json
  header: Json
}

/** The calls of a verifier and of its wallets. */
export const useVerifier = async (stage: InProcessStage, name = 'Verifier') => {
  const caller: Caller = await createTenant(stage, name)
  const call = (operation: string, asked: object) => atHttps(() => stage.call(operation, { caller, ...asked }))
  const done = async (operation: string, asked: object): Promise<Json> => {
    const { status, body } = await call(operation, asked)
    if (status >= 300) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const { keyId: rootId, publicCertificateBase64: root } = await done('createCertificate', {
    body: { issuer: `CN=${name} Root`, extensions: { basicConstraints: { ca: true } } },
  })
  const { keyId: certificateId } = await done('createCertificate', {
    body: {
      issuerCertificateId: rootId,
      subject: `CN=${name}`,
      extensions: { subjectAlternativeName: { name: [{ type: 'dns', value: 'agent.example' }] } },
    },
  })
  const { verifierId } = await done('createVerifier', { body: { certificateId } })

  const request = async (options: object = {}): Promise<ReadRequest> => {
    const body = { verifierId, dcql: { query: QUERY }, ...options }
    const { verificationSession: session } = await done('createPresentationRequest', { body })
    return read(session)
  }
  const read = async (session: Json): Promise<ReadRequest> => {
    const jwt = await done('getRequestObject', { path: { verifierId, verificationSessionId: session.id } })
    return { session, payload: decodeJwt(jwt), header: decodeProtectedHeader(jwt) }
  }
  /** Posts a form unchanged to the address of a session. */
  const post = (session: Json, form: Record<string, string>, ofVerifier = verifierId): Promise<Reply> =>
    call('receivePresentation', {
      caller: {},
      path: { verifierId: ofVerifier },
      query: { session: session.id },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
  const now = (session: Json) => done('getVerificationSessionById', { path: { verificationSessionId: session.id } })
  return { caller, call, done, verifierId, certificateId, root, request, read, post, now }
}

/** A key binding of a wallet, with any contents. */
export const bindTo = (
  holder: { privateKey: KeyObject },
  presented: string,
  { payload }: Pick<ReadRequest, 'payload'>,
  more: Record<string, unknown> = {},
  hash: (text: string) => string = sha256,
): string => {
  const claims = { iat: seconds(), aud: payload.client_id, nonce: payload.nonce, sd_hash: hash(presented), ...more }
  return presented + rawJwt(holder.privateKey, { alg: 'ES256', typ: 'kb+jwt' }, claims)
}

const sha256 = (text: string) => {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(text).digest('base64url')
}

/** The form of `direct_post.jwt`. */
export const encrypted = async ({ payload }: Pick<ReadRequest, 'payload'>, parameters: object, header: object = {}) => {
  const [jwk] = payload.client_metadata.jwks.keys
  const response = await new CompactEncrypt(Buffer.from(JSON.stringify(parameters)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: jwk.kid, ...header })
    .encrypt(await importJWK(jwk, 'ECDH-ES'))
  return { response }
}

export const newHolder = () => newKey('P-256')
