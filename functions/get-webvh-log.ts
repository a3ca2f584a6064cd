/** GetWebvhLog: returns the log of an agent's did:webvh, in one read. */
import { query } from '../lib/http/query.ts'
import { Document } from '../lib/http/request.ts'
import { GetWebvhLog } from '../lib/interface/webvh.ts'
import { tenantOfSegment } from '../lib/webvh/did.ts'
import { etagOf, requireLog } from '../lib/webvh/published.ts'

export const getWebvhLog = query(GetWebvhLog, async ({ path }) => {
  const { log } = await requireLog(tenantOfSegment(path.tenantId))
  return new Document(log, { cacheControl: 'no-cache', etag: etagOf(log) })
})
