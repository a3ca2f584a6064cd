/** The page for errors. */
import { expect, test } from 'vitest'
import { errorPage } from '../../../lib/pages/error-page.ts'

test.each([
  [400, 'This address is not complete'],
  [404, 'There is nothing here'],
  [429, 'Too many at once'],
  [410, 'This invitation is no longer valid'],
  [500, 'This did not work'],
  [503, 'This did not work'],
])('says of a %d: %s', (statusCode, heading) => {
  expect(errorPage(Object({ statusCode }))).toContain(`<h1>${heading}</h1>`)
})
