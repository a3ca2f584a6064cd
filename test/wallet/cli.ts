/** `npm run wallet`: a holder's wallet at the terminal, of OpenID or of DIDComm, depending on its arguments. */
const isOfOpenId = process.argv
  .slice(2)
  .some((text) => /^(openid4vp|haip-vp|openid-credential-offer|haip-vci):|^--/.test(text))

if (isOfOpenId) await import('./openid-cli.ts')
else await import('./didcomm-cli.ts')
