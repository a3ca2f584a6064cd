/** The page of a list: a `Link` to the next page where there is one, and none where there is not. */
import { expect, test } from 'vitest'
import { pageOf } from '../../../lib/http/request.ts'
import { settings } from '../../../lib/settings.ts'

const items = [{ id: '1' }]
const asked = { path: '/things', query: { limit: 2, order: 'desc', state: undefined } }
const show = ({ id }: { id: string }) => ({ id })

test('a page before the last one links to the next, with the same query', () => {
  const { body, headers } = pageOf({ entries: items, next: 'a+b' }, show, asked)
  expect(body).toEqual(items)
  expect(headers).toEqual({ link: `<${settings().PUBLIC_URL}/things?limit=2&order=desc&cursor=a%2Bb>; rel="next"` })
})

test('the link of a page that was linked to leads on, and not to itself', () => {
  const query = { limit: 2, cursor: 'this' }
  const { headers } = pageOf({ entries: items, next: 'next' }, show, { path: '/things', query })
  expect(headers.link).toBe(`<${settings().PUBLIC_URL}/things?limit=2&cursor=next>; rel="next"`)
})

test('the last page has no link', () => {
  expect(pageOf({ entries: items }, show, asked)).toEqual({ body: items, headers: {} })
})
