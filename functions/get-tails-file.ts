/** GetTailsFile: returns a tails file, which holders need to prove that a credential is not revoked. */
import { query } from '../lib/http/query.ts'
import { Document, IMMUTABLE } from '../lib/http/request.ts'
import { GetTailsFile } from '../lib/interface/webvh.ts'
import { requireTailsFile } from '../lib/revocation/tails-file.ts'

export const getTailsFile = query(
  GetTailsFile,
  async ({ path: { hash } }) =>
    new Document(await requireTailsFile(hash), { cacheControl: IMMUTABLE, etag: `"${hash}"` }),
)
