/** GetWellKnownOfIssuer: returns a document of an issuer below its address. */
import { cachedJson } from '../lib/http/cached-json.ts'
import { query } from '../lib/http/query.ts'
import { GetWellKnownOfIssuer } from '../lib/interface/openid4vci-wallets.ts'
import { readPublicIssuer } from '../lib/openid4vci/issuers.ts'
import { wellKnown } from '../lib/openid4vci/metadata.ts'

export const getWellKnownOfIssuer = query(GetWellKnownOfIssuer, async ({ path }) => {
  const { issuer } = await readPublicIssuer(path.issuerId)
  return cachedJson(wellKnown(issuer, path.name))
})
