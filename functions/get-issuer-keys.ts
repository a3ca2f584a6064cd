/** GetIssuerKeys: returns the keys that sign an issuer's credentials, and those that have signed them before. */
import { cachedJson } from '../lib/http/cached-json.ts'
import { query } from '../lib/http/query.ts'
import { GetIssuerKeys } from '../lib/interface/openid4vci-wallets.ts'
import { readPublicIssuer } from '../lib/openid4vci/issuers.ts'
import { issuerKeys } from '../lib/openid4vci/keys.ts'

export const getIssuerKeys = query(GetIssuerKeys, async ({ path }) => {
  const { tenant, issuer } = await readPublicIssuer(path.issuerId)
  return cachedJson(await issuerKeys(tenant, issuer))
})
