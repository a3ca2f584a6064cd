/** Operations with pages: who gets a page and who gets JSON, and that nothing of the address is written down. */
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AgentError } from '../../../lib/errors.ts'
import { defineOperation } from '../../../lib/http/operation.ts'
import { Page, Redirect } from '../../../lib/http/request.ts'
import { defineContract } from '../../../lib/interface/contract.ts'
import { settings } from '../../../lib/settings.ts'
import { call } from './gateway-event.ts'

const Show = defineContract(() => ({
  operationId: 'ShowThing',
  method: 'GET',
  path: '/',
  summary: 'Show',
  security: 'none',
  parameters: { query: v.object({ oob: v.optional(v.pipe(v.string(), v.maxLength(20))) }) },
  pages: 'html or json',
  redirects: true,
  responses: { 200: v.looseObject({ id: v.string() }) },
  errorStatuses: [404],
}))

const handle = vi.fn()
const show = defineOperation(Show, { handle, errorPage: ({ statusCode }) => `<p>${statusCode}</p>` })
const showTo = (accept: string | undefined, query = {}) =>
  call(show, { query, headers: accept === undefined ? {} : { Accept: accept } })

beforeEach(() => {
  handle.mockReset().mockResolvedValue({ id: '1' })
})

describe('what a caller wants', () => {
  test.each([
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'page'],
    ['a program', 'application/json', 'json'],
    ['a program that would take a page as well', 'text/html;q=0.5, application/json;q=0.9', 'json'],
    ['a browser that would take JSON as well', 'text/html, APPLICATION/JSON;q=0.1', 'page'],
    ['who takes both alike', 'text/html,application/json', 'json'],
    ['who will have no JSON', 'application/json;q=0, text/plain', 'any'],
    ['who takes anything', '*/*', 'any'],
    ['who says nothing', undefined, 'any'],
    ['who says no number', 'text/html;q=x', 'any'],
  ])('%s', async (_, accept, preferredType) => {
    await showTo(accept)
    expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ preferredType }))
  })
})

const PRIVATE = { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', 'x-request-id': 'request-1' }

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

test('a page has a policy that lets nothing in, and its address goes nowhere', async () => {
  handle.mockResolvedValue(new Page('<p>it</p>'))
  expect(await showTo('text/html')).toEqual({
    statusCode: 200,
    headers: expect.objectContaining({
      ...PRIVATE,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
    }),
    body: '<p>it</p>',
  })
})

test('another address is only in a header', async () => {
  handle.mockResolvedValue(new Redirect('https://agent.example?oob=x'))
  const answer = await showTo('text/html')
  expect(answer).toMatchObject({ statusCode: 302, headers: { ...PRIVATE, location: 'https://agent.example?oob=x' } })
  expect(answer.body).toBeUndefined()
})

describe('an error', () => {
  beforeEach(() => {
    handle.mockRejectedValue(new AgentError('resource.not_found', 'not there'))
  })

  test('is JSON for who asks for no page', async () => {
    for (const accept of ['application/json', '*/*', undefined])
      expect(await showTo(accept)).toMatchObject({
        statusCode: 404,
        headers: { 'content-type': 'application/json' },
        body: { statusCode: 404, message: 'not there' },
      })
  })

  test('is a page for who asks for one, with the same policy', async () => {
    expect(await showTo('text/html')).toEqual({
      statusCode: 404,
      headers: expect.objectContaining({
        ...PRIVATE,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
      }),
      body: '<p>404</p>',
    })
  })

  test('of the query is a page, too', async () => {
    expect(await showTo('text/html', { oob: 'x'.repeat(21) })).toMatchObject({ statusCode: 400, body: '<p>400</p>' })
    expect(handle).not.toHaveBeenCalled()
  })
})

describe('no line of the log holds the address', () => {
  const written = vi.spyOn(console, 'log')
  beforeEach(() => {
    written.mockReset().mockReturnValue(undefined)
    settings().LOG_LEVEL = 'debug'
  })
  afterEach(() => {
    settings().LOG_LEVEL = 'silent'
  })

  test.each([
    ['where nothing is found', new AgentError('resource.not_found', 'not there'), 'confided'],
    ['where something fails', new Error('broken'), 'confided'],
    ['where the query is refused', undefined, 'confided'.repeat(10)],
  ])('%s', async (_, error, oob) => {
    if (error !== undefined) handle.mockRejectedValue(error)
    await showTo('text/html', { oob })
    expect(written).toHaveBeenCalledTimes(1)
    expect(String(written.mock.calls)).not.toContain('confided')
  })
})
