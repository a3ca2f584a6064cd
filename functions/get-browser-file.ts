/** GetBrowserFile: returns a style or script of the pages, from the function's zip. */
import { query } from '../lib/http/query.ts'
import { Document } from '../lib/http/request.ts'
import { GetBrowserFile } from '../lib/interface/pages.ts'
import { requireBrowserFile } from '../lib/pages/browser-files.ts'

/** Only ten minutes, because the names of files have no version. */
const CACHED = 'public, max-age=600'

export const getBrowserFile = query(GetBrowserFile, async ({ path }) => {
  const { text, etag, contentType } = requireBrowserFile(path.file)
  return new Document(text, { cacheControl: CACHED, etag }, contentType)
})
