/** GetWellKnown: returns a document of an issuer at the root. */
import { cachedJson } from '../lib/http/cached-json.ts'
import { query } from '../lib/http/query.ts'
import { GetWellKnown } from '../lib/interface/openid4vci-wallets.ts'
import { readPublicIssuer } from '../lib/openid4vci/issuers.ts'
import { wellKnown } from '../lib/openid4vci/metadata.ts'

export const getWellKnown = query(GetWellKnown, async ({ path }) => {
  const { issuer } = await readPublicIssuer(path.issuerId)
  return cachedJson(wellKnown(issuer, path.name))
})
