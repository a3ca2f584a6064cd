/** Accepts an offer of OpenID4VCI by @openid4vc: a token for its code and PIN, and a credential for each configuration. */
import { hash, randomBytes, type webcrypto, X509Certificate } from 'node:crypto'
import { type CallbackContext, clientAuthenticationAnonymous, setGlobalConfig } from '@openid4vc/oauth2'
import { type CredentialOfferObject, Openid4vciClient } from '@openid4vc/openid4vci'
import { decodeProtectedHeader, exportJWK, importX509, jwtVerify, SignJWT } from 'jose'
import { newKeys } from '../openid4vp/sample-issuer.ts'

/** The local stage listens by http. */
setGlobalConfig({ allowInsecureUrls: true })

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** A client that signs proofs with one key. */
const clientWith = (key?: webcrypto.CryptoKey): Openid4vciClient => {
  const callbacks: Omit<CallbackContext, 'verifyJwt' | 'decryptJwe' | 'encryptJwe'> = {
    hash: (data, algorithm) => hash(algorithm.replace('-', ''), data, 'buffer'),
    generateRandom: (bytes) => randomBytes(bytes),
    clientAuthentication: clientAuthenticationAnonymous(),
    signJwt: async (signer, { header, payload }) => {
      if (signer.method !== 'jwk' || key === undefined) throw new Error('this wallet signs proofs with its key')
      const jwt = await new SignJWT(Object(payload)).setProtectedHeader(Object(header)).sign(key)
      return { jwt, signerJwk: signer.publicJwk }
    },
    fetch: (address, init) => fetch(String(address), Object(init)),
  }
  return new Openid4vciClient({ callbacks })
}

/** The offer behind a link, and its issuer. */
export const readOffer = async (link: string) => {
  const client = clientWith()
  const offer = await client.resolveCredentialOffer(link)
  const issuerMetadata = await client.resolveIssuerMetadata(offer.credential_issuer)
  return { offer, issuerMetadata }
}
export type ReadOffer = Awaited<ReturnType<typeof readOffer>>

/** How the offer asks for a PIN; undefined if it does not. */
export const pinOf = ({ grants }: CredentialOfferObject): { length?: number; description?: string } | undefined =>
  Object(grants)[GRANT_TYPE]?.tx_code

/** Throws unless the credential is signed with the certificate in its header. */
const verify = async (compact: string): Promise<void> => {
  const [jwt = ''] = compact.split('~')
  const { x5c: [leaf = ''] = [], alg = '' } = decodeProtectedHeader(jwt)
  const certificate = new X509Certificate(Buffer.from(leaf, 'base64'))
  await jwtVerify(jwt, await importX509(String(certificate), alg), { typ: 'dc+sd-jwt' })
}

interface Taken {
  compact: string
  key?: webcrypto.CryptoKey
}

/** A credential of one configuration, for a new key if it is bound to one. */
const obtain = async ({ issuerMetadata }: ReadOffer, accessToken: string, id: string): Promise<Taken> => {
  const supported = issuerMetadata.credentialIssuer.credential_configurations_supported[id]
  const keys = supported?.proof_types_supported === undefined ? undefined : await newKeys()
  const client = clientWith(keys?.privateKey)
  const prove = async ({ publicKey }: webcrypto.CryptoKeyPair) => {
    const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
    const signer = { method: 'jwk' as const, alg: 'ES256', publicJwk: Object(await exportJWK(publicKey)) }
    const proof = { issuerMetadata, credentialConfigurationId: id, nonce, signer }
    return { jwt: [(await client.createCredentialRequestJwtProof(proof)).jwt] as [string] }
  }
  const { credentialResponse } = await client.retrieveCredentials({
    ...{ issuerMetadata, accessToken, credentialConfigurationId: id },
    ...(keys !== undefined && { proofs: await prove(keys) }),
  })
  const [first] = credentialResponse.credentials ?? []
  const compact = String(Object(first).credential)
  await verify(compact)
  const { notification_id: notificationId } = credentialResponse
  if (notificationId !== undefined)
    await client.sendNotification({
      ...{ issuerMetadata, accessToken, notification: { notificationId, event: 'credential_accepted' } },
    })
  return { compact, ...(keys !== undefined && { key: keys.privateKey }) }
}

/** All offered credentials. */
export const takeOffer = async (read: ReadOffer, pin: string | undefined): Promise<Taken[]> => {
  const { offer: credentialOffer, issuerMetadata } = read
  const { accessTokenResponse } = await clientWith().retrievePreAuthorizedCodeAccessTokenFromOffer({
    ...{ credentialOffer, issuerMetadata },
    ...(pin !== undefined && { txCode: pin }),
  })
  const taken: Taken[] = []
  for (const id of credentialOffer.credential_configuration_ids)
    taken.push(await obtain(read, accessTokenResponse.access_token, id))
  return taken
}
