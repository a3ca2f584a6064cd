/** Example calls of wallets on the issuer of OpenID4VCI. */
import { issuerUrlOf } from '../../../lib/openid4vci/issuers.ts'
import { GRANT_TYPE, IDENTITY } from '../openid/issuance.ts'
import { newKey, rawJwt, seconds } from '../openid/jwts.ts'
import type { Json } from '../stage/in-process-stage.ts'
import type { CallScene, Examples } from './call-scene.ts'
import { offered } from './openid4vci.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The form for the code of an offer, by its value. */
const formOf = ({ credentialOfferByValue, userPin }: Json): string => {
  const content = JSON.parse(String(new URL(credentialOfferByValue).searchParams.get('credential_offer')))
  const code = content.grants[GRANT_TYPE]['pre-authorized_code']
  return new URLSearchParams({ grant_type: GRANT_TYPE, 'pre-authorized_code': code, tx_code: userPin }).toString()
}

/** The request of a wallet that has a token of an issuer of its own. */
const credentialRequest = async (scene: CallScene) => {
  const { issuerId, offer } = await offered(scene)
  const path = { issuerId }
  const { access_token } = await scene.done('RequestToken', { path, headers: FORM, body: formOf(offer) })
  const { c_nonce: nonce } = await scene.done('RequestNonce', { path })
  const { privateKey, jwk } = newKey()
  const header = { typ: 'openid4vci-proof+jwt', alg: 'ES256', jwk }
  const proof = rawJwt(privateKey, header, { aud: issuerUrlOf(issuerId), iat: seconds(), nonce })
  const headers = { authorization: `Bearer ${access_token}` }
  return { path, headers, body: { credential_configuration_id: IDENTITY, proofs: { jwt: [proof] } } }
}

export const openid4vciWallets: Examples = {
  RequestToken: async (scene) => {
    const { issuerId, offer } = await offered(scene)
    return { asked: { path: { issuerId }, headers: FORM, body: formOf(offer) } }
  },
  RequestNonce: async (scene) => {
    const { issuerId } = await offered(scene)
    return { asked: { path: { issuerId } }, isPublic: true }
  },
  RequestCredential: async (scene) => ({ asked: await credentialRequest(scene) }),
  ReceiveNotification: async (scene) => {
    const { path, headers, body } = await credentialRequest(scene)
    const { notification_id } = await scene.done('RequestCredential', { path, headers, body })
    return { asked: { path, headers, body: { notification_id, event: 'credential_accepted' } } }
  },
}
