/** Links for wallets: https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-4.1 */

/** By the address of the offer, or with the offer in it. */
export const offerLinkOf = (name: 'credential_offer_uri' | 'credential_offer', value: string): string =>
  `openid-credential-offer://?${name}=${encodeURIComponent(value)}`
