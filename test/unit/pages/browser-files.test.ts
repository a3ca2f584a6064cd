/** The files that pages load. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { requireBrowserFile } from '../../../lib/pages/browser-files.ts'

test('one has the validator of its content, and its type', () => {
  const { contentType, text, etag } = requireBrowserFile('page.css')
  expect(contentType).toBe('text/css')
  expect(etag).toBe(`"${createHash('sha256').update(text).digest('base64url')}"`)
  expect(requireBrowserFile('page.css').etag).toBe(etag)
})

test.each([
  ['docs.css', 'text/css'],
  ['docs.js', 'text/javascript'],
  ['session.js', 'text/javascript'],
  ['swagger-ui.css', 'text/css'],
  ['swagger-ui-bundle.js', 'text/javascript'],
  ['swagger-ui-bundle.js.LICENSE.txt', 'text/plain'],
])('%s is %s', (name, contentType) => {
  expect(requireBrowserFile(name).contentType).toBe(contentType)
})

test.each(['other.css', 'toString', '../page.css'])('there is no %s', (name) => {
  expect(() => requireBrowserFile(name)).toThrow('there is no such file')
})
