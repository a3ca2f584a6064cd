/** GetWebvhResource: returns a resource that an agent's did:webvh attests, in one read. */
import { query } from '../lib/http/query.ts'
import { Document, IMMUTABLE } from '../lib/http/request.ts'
import { GetWebvhResource } from '../lib/interface/webvh.ts'
import { tenantOfSegment } from '../lib/webvh/did.ts'
import { etagOf, requireResource } from '../lib/webvh/published.ts'

export const getWebvhResource = query(GetWebvhResource, async ({ path }) => {
  const { document, grows } = await requireResource(tenantOfSegment(path.tenantId), path.resourceId)
  return new Document(document, { cacheControl: grows ? 'no-cache' : IMMUTABLE, etag: etagOf(document) })
})
