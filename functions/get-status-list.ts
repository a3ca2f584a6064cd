/** GetStatusList: returns a status list, signed, for verifiers and the caches before them. */
import { query } from '../lib/http/query.ts'
import { Document } from '../lib/http/request.ts'
import { GetStatusList } from '../lib/interface/openid4vci-wallets.ts'
import { statusListToken } from '../lib/status-list/token.ts'

export const getStatusList = query(GetStatusList, async ({ path }) => {
  const { jwt, etag, ttl } = await statusListToken(path)
  return new Document(jwt, { cacheControl: `public, max-age=${ttl}`, etag })
})
