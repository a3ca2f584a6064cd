/** An issuer of a tenant, and the calls of its wallets: the wallet's part is written here. */
import type { KeyObject } from 'node:crypto'
import { createTenant } from '../scenes.ts'
import { atHttps, HTTPS_URL } from '../stage/at-https.ts'
import type { Caller, InProcessStage, Json, Reply } from '../stage/in-process-stage.ts'
import { newKey, rawJwt, seconds } from './jwts.ts'

export const IDENTITY = 'identity'
export const VCT = 'https://credentials.example/identity'
export const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

export const CLAIMS = { given_name: 'Erika', family_name: 'Mustermann', address: { locality: 'Berlin', country: 'DE' } }
export const FRAME = { _sd: ['given_name', 'family_name'], address: { _sd: ['locality'] } }

/** A configuration whose credentials are bound to keys. */
export const bound = (more: object = {}) => ({
  format: 'dc+sd-jwt',
  vct: VCT,
  cryptographic_binding_methods_supported: ['jwk'],
  credential_signing_alg_values_supported: ['ES256'],
  proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] } },
  ...more,
})

/** One whose credentials are not bound to keys. */
export const unbound = (more: object = {}) => ({
  format: 'dc+sd-jwt',
  vct: 'https://credentials.example/ticket',
  ...more,
})

export const CONFIGURATIONS = { [IDENTITY]: bound(), second: bound({ vct: `${VCT}/2` }), ticket: unbound() }

export interface Offer {
  session: Json
  code: string
  pin: string | undefined
  /** As a wallet reads it. */
  content: Json
}

interface OfferOptions {
  credentials?: object[]
  /** A PIN of four digits. */
  pin?: boolean
  [field: string]: unknown
}

export interface Wallet {
  key: { privateKey: KeyObject; jwk: object }
  accessToken: string
  session: Json
}

type Form = Record<string, string>

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A root and below it a certificate with the service's name, by the tenant's calls. */
const certify = async (done: (operation: string, asked: object) => Promise<Json>, name: string): Promise<string> => {
  const { keyId: rootId } = await done('createCertificate', {
    body: { issuer: `CN=${name} Root`, extensions: { basicConstraints: { ca: true } } },
  })
  const extensions = { subjectAlternativeName: { name: [{ type: 'dns', value: new URL(HTTPS_URL).hostname }] } }
  const body = { issuerCertificateId: rootId, subject: `CN=${name}`, extensions }
  return (await done('createCertificate', { body })).keyId
}

export const useIssuer = async (stage: InProcessStage, name = 'Issuer', settings: object = {}) => {
  const caller: Caller = await createTenant(stage, name)
  const call = (operation: string, asked: object): Promise<Reply> =>
    atHttps(() => stage.call(operation, { caller, ...asked }))
  const done = async (operation: string, asked: object): Promise<Json> => {
    const { status, body } = await call(operation, asked)
    if (status >= 300) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const certificateId = await certify(done, name)
  const { issuerId } = await done('createIssuer', {
    body: {
      certificateId,
      batchCredentialIssuance: { batchSize: 10 },
      credentialConfigurationsSupported: CONFIGURATIONS,
      ...settings,
    },
  })
  const url = `${HTTPS_URL}/oid4vci/${issuerId}`

  /** Calls without a token of the API, as wallets do. */
  const open = (operation: string, asked: object, ofIssuer: string = issuerId) =>
    call(operation, { caller: {}, path: { issuerId: ofIssuer }, ...asked })

  const offer = async ({ credentials, pin = false, ...more }: OfferOptions = {}): Promise<Offer> => {
    const body = {
      publicIssuerId: issuerId,
      credentials: credentials ?? [{ credentialSupportedId: IDENTITY, payload: CLAIMS, disclosureFrame: FRAME }],
      preAuthorizedCodeFlowConfig: pin ? { txCode: { length: 4 } } : {},
      ...more,
    }
    const made = await done('createCredentialOffer', { body })
    const text = new URL(made.credentialOfferByValue).searchParams.get('credential_offer')
    const content = JSON.parse(String(text))
    const code = content.grants[GRANT_TYPE]['pre-authorized_code']
    return { session: made.issuanceSession, code, pin: made.userPin, content }
  }
  const postToken = (form: Form, ofIssuer?: string) =>
    open('requestToken', { headers: FORM, body: new URLSearchParams(form).toString() }, ofIssuer)
  const formOf = ({ code, pin }: Pick<Offer, 'code' | 'pin'>, more: Form = {}): Form => ({
    ...{ grant_type: GRANT_TYPE, 'pre-authorized_code': code },
    ...(pin !== undefined && { tx_code: pin }),
    ...more,
  })
  const nonce = async (ofIssuer?: string): Promise<string> => (await open('requestNonce', {}, ofIssuer)).body.c_nonce
  const withToken = (operation: string, accessToken: string | undefined, body: unknown, ofIssuer?: string) => {
    const headers = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }
    return open(operation, { headers, body }, ofIssuer)
  }
  const postCredential = (accessToken: string | undefined, body: unknown, ofIssuer?: string) =>
    withToken('requestCredential', accessToken, body, ofIssuer)
  const notify = (accessToken: string | undefined, body: unknown, ofIssuer?: string) =>
    withToken('receiveNotification', accessToken, body, ofIssuer)

  /** A proof of a key, with any contents. */
  const prove = (key: Wallet['key'], claims: object, header: object = {}): string =>
    rawJwt(
      key.privateKey,
      { typ: 'openid4vci-proof+jwt', alg: 'ES256', jwk: key.jwk, ...header },
      { aud: url, iat: seconds(), ...claims },
    )
  /** A wallet that has accepted an offer: with a token and its own key. */
  const take = async (made: Offer, more: Form = {}): Promise<Wallet> => {
    const { status, body } = await postToken(formOf(made, more))
    if (status !== 200) throw new Error(`requestToken: ${status} ${JSON.stringify(body)}`)
    return { key: newKey(), accessToken: body.access_token, session: made.session }
  }
  /** A valid request for one credential, or for one for each of `keys`. */
  const requestFor = async ({ key }: Pick<Wallet, 'key'>, keys: Wallet['key'][] = [key], id = IDENTITY) => {
    const claims = { nonce: await nonce() }
    return { credential_configuration_id: id, proofs: { jwt: keys.map((one) => prove(one, claims)) } }
  }
  const obtain = async (wallet: Wallet, keys?: Wallet['key'][], id?: string): Promise<Json> => {
    const { status, body } = await postCredential(wallet.accessToken, await requestFor(wallet, keys, id))
    if (status !== 200) throw new Error(`requestCredential: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const now = (session: Json) => done('getIssuanceSessionById', { path: { issuanceSessionId: session.id } })
  return {
    ...{ caller, call, done, open, certificateId, issuerId, url, offer, postToken, formOf, nonce, postCredential },
    ...{ notify, prove, take, requestFor, obtain, now },
  }
}
export type TestIssuer = Awaited<ReturnType<typeof useIssuer>>
