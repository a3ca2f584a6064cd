/** The page for errors. */
import { expect, test } from 'vitest'
import { errorPage } from '../../../lib/pages/error-page.ts'

test.each([
  [400, 'This link is not complete'],
  [404, 'Page not found'],
  [429, 'Too many requests'],
  [410, 'This invitation is no longer valid'],
  [500, 'Something went wrong'],
  [503, 'Something went wrong'],
])('says of a %d: %s', (statusCode, heading) => {
  expect(errorPage(Object({ statusCode }))).toContain(`<h1>${heading}</h1>`)
})
