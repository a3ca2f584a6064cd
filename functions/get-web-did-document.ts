/** GetWebDidDocument: returns the document of an agent's did:web, in one read. */
import { query } from '../lib/http/query.ts'
import { Document } from '../lib/http/request.ts'
import { GetWebDidDocument } from '../lib/interface/dids.ts'
import { tenantOfSegment } from '../lib/webvh/did.ts'
import { etagOf } from '../lib/webvh/published.ts'
import { requireWebDocument } from '../lib/webvh/web-document.ts'

export const getWebDidDocument = query(GetWebDidDocument, async ({ path }) => {
  const { document } = await requireWebDocument(tenantOfSegment(path.tenantId))
  return new Document(document, { cacheControl: 'no-cache', etag: etagOf(document) })
})
