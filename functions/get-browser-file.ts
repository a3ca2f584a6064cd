/** GetBrowserFile: a style or a script of the pages, out of the function's own zip. */
import { defineOperation } from '../lib/http/operation.ts'
import { StoredDocument } from '../lib/http/request.ts'
import { GetBrowserFile } from '../lib/interface/pages.ts'
import { requireBrowserFile } from '../lib/pages/browser-files.ts'

/** Ten minutes: pages name their files without a version, and a deployment changes all of them at once. */
const CACHED = 'public, max-age=600'

export const getBrowserFile = defineOperation(GetBrowserFile, {
  handle: async ({ path }) => {
    const { text, etag, contentType } = requireBrowserFile(path.file)
    return new StoredDocument(text, { cacheControl: CACHED, etag }, contentType)
  },
})
