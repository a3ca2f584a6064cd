/** RequestToken: issues an access token for the pre-authorized code of an offer. */
import { command } from '../lib/http/command.ts'
import { RequestToken } from '../lib/interface/openid4vci-wallets.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { issueToken } from '../lib/openid4vci/token.ts'

export const requestToken = command(RequestToken, {
  authorize: ({ path }) => tenantOfPublicId(path.issuerId, 'issuer'),
  handle: ({ path, body, unit }) => issueToken(unit, path.issuerId, body),
})
