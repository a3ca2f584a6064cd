/** ShowDocs: the API reference as a page. */
import { defineOperation } from '../lib/http/operation.ts'
import { Page } from '../lib/http/request.ts'
import { ShowDocs } from '../lib/interface/pages.ts'
import { docsPage } from '../lib/pages/docs-page.ts'
import { errorPage } from '../lib/pages/error-page.ts'

export const showDocs = defineOperation(ShowDocs, {
  handle: async () => new Page(docsPage()),
  errorPage,
})
