/** GetWebvhResource: returns a resource that an agent's did:webvh attests, in one read. */
import { defineOperation } from '../lib/http/operation.ts'
import { IMMUTABLE, StoredDocument } from '../lib/http/request.ts'
import { GetWebvhResource } from '../lib/interface/webvh.ts'
import { tenantOfSegment } from '../lib/webvh/did.ts'
import { etagOf, requireResource } from '../lib/webvh/published.ts'

export const getWebvhResource = defineOperation(GetWebvhResource, {
  handle: async ({ path }) => {
    const { document, grows } = await requireResource(tenantOfSegment(path.tenantId), path.resourceId)
    return new StoredDocument(document, { cacheControl: grows ? 'no-cache' : IMMUTABLE, etag: etagOf(document) })
  },
})
