/** RequestCredential: issues an offered credential to each key of a wallet. */
import { command } from '../lib/http/command.ts'
import { RequestCredential } from '../lib/interface/openid4vci-wallets.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { issueCredentials } from '../lib/openid4vci/credential.ts'

export const requestCredential = command(RequestCredential, {
  authorize: ({ path }) => tenantOfPublicId(path.issuerId, 'issuer'),
  handle: ({ path, accessToken, body, unit }) => issueCredentials(unit, path.issuerId, accessToken, body),
})
