/** GetTailsFile: returns a tails file, which holders need to prove that a credential is not revoked. */
import { defineOperation } from '../lib/http/operation.ts'
import { IMMUTABLE, StoredDocument } from '../lib/http/request.ts'
import { GetTailsFile } from '../lib/interface/webvh.ts'
import { requireTailsFile } from '../lib/revocation/tails-file.ts'

export const getTailsFile = defineOperation(GetTailsFile, {
  handle: async ({ path: { hash } }) =>
    new StoredDocument(await requireTailsFile(hash), { cacheControl: IMMUTABLE, etag: `"${hash}"` }),
})
