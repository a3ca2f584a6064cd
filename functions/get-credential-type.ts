/** GetCredentialType: returns the metadata of a type of credentials. */
import { cachedJson } from '../lib/http/cached-json.ts'
import { query } from '../lib/http/query.ts'
import { GetCredentialType } from '../lib/interface/openid4vci-wallets.ts'
import { readPublicIssuer } from '../lib/openid4vci/issuers.ts'
import { typeMetadata } from '../lib/openid4vci/type-metadata.ts'

export const getCredentialType = query(GetCredentialType, async ({ path }) => {
  const { issuer } = await readPublicIssuer(path.issuerId)
  return cachedJson(typeMetadata(issuer, path.name))
})
