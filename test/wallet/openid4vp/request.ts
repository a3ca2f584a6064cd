/** Reads a request of OpenID4VP by @openid4vc, and checks its signer. */
import { hash, randomBytes, X509Certificate } from 'node:crypto'
import { type CallbackContext, clientAuthenticationAnonymous, setGlobalConfig } from '@openid4vc/oauth2'
import { Openid4vpClient } from '@openid4vc/openid4vp'
import { CompactEncrypt, exportJWK, importJWK, importX509, jwtVerify } from 'jose'

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA']

/** The local stage listens by http. */
setGlobalConfig({ allowInsecureUrls: true })

const certificateOf = (base64: string): X509Certificate => new X509Certificate(Buffer.from(base64, 'base64'))

/** Throws unless each certificate is valid now, and issued by the next one. */
const checkChain = (x5c: string[]): X509Certificate[] => {
  const chain = x5c.map(certificateOf)
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1]
    const isOver = certificate.validFromDate > new Date() || certificate.validToDate < new Date()
    if (isOver) throw new Error(`the certificate of ${certificate.subject} is not valid now`)
    if (issuer && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)))
      throw new Error(`the certificate of ${certificate.subject} was not issued by the next one`)
  }
  return chain
}

/** Names of one kind in the certificate: `DNS:agent.example, URI:https://agent.example`. */
const namesOf = ({ subjectAltName = '' }: X509Certificate, kind: 'DNS' | 'URI'): string[] =>
  subjectAltName.split(', ').flatMap((name) => (name.startsWith(`${kind}:`) ? [name.slice(kind.length + 1)] : []))

/** OpenID4VP 1.0, section 5.8: signed, and for wallets that were not discovered. */
const verifyJwt: CallbackContext['verifyJwt'] = async (signer, { compact }) => {
  if (signer.method !== 'x5c') return { verified: false }
  const [leaf] = checkChain(signer.x5c)
  const key = await importX509(String(leaf), signer.alg, { extractable: true })
  const expected = { algorithms: ALGORITHMS, typ: 'oauth-authz-req+jwt', audience: 'https://self-issued.me/v2' }
  await jwtVerify(compact, key, expected)
  return { verified: true, signerJwk: Object(await exportJWK(key)) }
}

const encryptJwe: CallbackContext['encryptJwe'] = async ({ publicJwk, alg, enc, apu, apv }, text) => {
  const { kid } = publicJwk
  const jwe = new CompactEncrypt(Buffer.from(text)).setProtectedHeader({
    ...{ alg, enc, ...(kid !== undefined && { kid }) },
    ...(apu !== undefined && { apu }),
    ...(apv !== undefined && { apv }),
  })
  return { encryptionJwk: publicJwk, jwe: await jwe.encrypt(await importJWK(Object(publicJwk), alg)) }
}

/** A client for one request, which sends its own nonce where the request is fetched by POST (section 5.10). */
const clientWith = (walletNonce: string): Openid4vpClient => {
  const callbacks: CallbackContext = {
    hash: (data, algorithm) => hash(algorithm.replace('-', ''), data, 'buffer'),
    generateRandom: (bytes) => randomBytes(bytes),
    clientAuthentication: clientAuthenticationAnonymous(),
    signJwt: () => Promise.reject(new Error('this wallet signs no answers')),
    decryptJwe: async () => ({ decrypted: false }),
    ...{ verifyJwt, encryptJwe },
    getX509CertificateMetadata: (base64) => ({
      sanDnsNames: namesOf(certificateOf(base64), 'DNS'),
      sanUriNames: namesOf(certificateOf(base64), 'URI'),
    }),
    // @openid4vc 0.4.6 sends the wallet's metadata and not its nonce.
    fetch: (address, init) =>
      init?.method === 'post'
        ? fetch(String(address), { ...init, method: 'POST', body: new URLSearchParams({ wallet_nonce: walletNonce }) })
        : fetch(String(address), Object(init)),
  }
  return new Openid4vpClient({ callbacks })
}

const isByPost = (link: string): boolean => new URL(link).searchParams.get('request_uri_method') === 'post'

/** Reads the request behind a link. Throws unless its client id, signature, audience and times are right. */
export const readRequest = async (link: string) => {
  const walletNonce = randomBytes(16).toString('base64url')
  const library = clientWith(walletNonce)
  const { params } = library.parseOpenid4vpAuthorizationRequest({ authorizationRequest: link })
  const request = await library.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: params,
    ...(isByPost(link) && { wallet: { expectedNonce: walletNonce } }),
  })
  const { jar, dcql } = request
  if (jar?.signer.method !== 'x5c') throw new Error('the request is not signed with a certificate')
  if (dcql === undefined) throw new Error('the request asks for nothing by DCQL')
  return { ...request, library, signedBy: checkChain(jar.signer.x5c) }
}
