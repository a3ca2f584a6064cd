/** ShowDocs: the API reference as a page. */
import { query } from '../lib/http/query.ts'
import { Page } from '../lib/http/request.ts'
import { ShowDocs } from '../lib/interface/pages.ts'
import { docsPage } from '../lib/pages/docs-page.ts'
import { errorPage } from '../lib/pages/error-page.ts'

export const showDocs = query(ShowDocs, {
  handle: async () => new Page(docsPage()),
  errorPage,
})
