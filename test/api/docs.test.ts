/** The reference of the interface over HTTP: a page, its files, and what a cache may keep of them. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { api, expectError, expectMalformed } from '../support/api/scene.ts'

const PAGE = { accept: 'text/html' }

test('the reference is a page whose scripts and styles are all its own', async () => {
  const { status, headers, text } = await api.get('/docs?url=https://elsewhere.example/openapi.json', { headers: PAGE })
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';/),
  })
  expect(headers['content-security-policy']).not.toContain('unsafe')
  expect(text).not.toContain('elsewhere')
  const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)
  expect(loaded.toSorted()).toEqual([
    'assets/docs.css',
    'assets/docs.js',
    'assets/swagger-ui-bundle.js',
    'assets/swagger-ui.css',
    'data:,',
    'openapi.json',
  ])
})

describe('a file of the pages', () => {
  test.each([
    ['page.css', 'text/css', 'lib/pages/browser/page.css'],
    ['docs.css', 'text/css', 'lib/pages/browser/docs.css'],
    ['docs.js', 'text/javascript', 'lib/pages/browser/docs.js'],
    ['swagger-ui.css', 'text/css', 'node_modules/swagger-ui-dist/swagger-ui.css'],
    ['swagger-ui-bundle.js', 'text/javascript', 'node_modules/swagger-ui-dist/swagger-ui-bundle.js'],
  ])('%s is what it is, and may be kept for a while', async (name, type, source) => {
    const { status, headers, text } = await api.get(`/assets/${name}`)
    expect({ status, text: text === readFileSync(source, 'utf8') }).toEqual({ status: 200, text: true })
    expect(headers).toMatchObject({ 'content-type': type, 'cache-control': 'public, max-age=600' })
    const again = await api.get(`/assets/${name}`, { headers: { 'if-none-match': headers.etag ?? '' } })
    expect({ status: again.status, text: again.text, etag: again.headers.etag }).toEqual({
      status: 304,
      text: '',
      etag: headers.etag,
    })
  })

  test('the licences of what the viewer is made of are served with it', async () => {
    expect((await api.get('/assets/swagger-ui-bundle.js.LICENSE.txt')).text).toContain('@license')
  })

  test.each(['toString', 'index.html', 'package.json', 'swagger-ui.js'])('%s is unknown: 404', async (name) => {
    expectError(await api.get(`/assets/${name}`), 404, { message: 'there is no such file' })
  })

  test.each(['..%2Fpackage.json', '%2e%2e%2fx', '.env', 'a%00.css', '__proto__'])(
    '%s is not a valid name: 400',
    async (name) => {
      expectMalformed(await api.get(`/assets/${name}`), 'path', ['file'])
    },
  )
})
