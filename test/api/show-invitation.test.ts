/** ShowInvitation and GetInvitationById over HTTP: what a person with an invitation sees. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { api, base, expectError, tokens } from '../support/api/scene.ts'
import { requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const PAGE = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const JSON_ONLY = { accept: 'application/json' }
const NOT_THERE = { message: 'there is no such invitation' }

let made: Json
let id: string
let invitation: Json

const queryOf = (url: string) => url.slice(url.indexOf('?'))
const longOf = (changed: object) => `/?oob=${Buffer.from(JSON.stringify(changed)).toString('base64url')}`

beforeAll(async () => {
  made = (await api.post('/proofs/create-request-oob', { token: tokens.root, body: { ...requestBody, label: 'Acme' } }))
    .body
  const { messageType: _, ...given } = made.invitation
  invitation = given
  id = given['@id']
})

describe('an invitation of ours', () => {
  test('is a page for a person', async () => {
    const { status, headers, text } = await api.get(`/${queryOf(made.invitationUrl)}`, { headers: PAGE })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    })
    expect(text).toContain('Acme')
    expect(text).not.toMatch(/<script|<img|style=/)
  })

  test('is JSON for callers that ask for JSON, by the long and by the short address', async () => {
    const long = await api.get(`/${queryOf(made.invitationUrl)}`, { headers: JSON_ONLY })
    expect(long).toMatchObject({ status: 200, body: invitation })
    await expectExample(long)
    const short = await api.get(`/url/${id}`, { headers: JSON_ONLY })
    expect(short).toMatchObject({ status: 200, body: invitation })
    // Aries RFC 0434, "URL Shortening".
    expect(short.headers['content-type']).toBe('application/json; charset=utf-8')
    await expectExample(short)
  })

  test.each([
    ['a browser', PAGE],
    ['who says nothing', {}],
  ])('leads %s from the short address to the long one', async (_, headers) => {
    const answer = await api.get(`/url/${id}`, { headers })
    expect(answer).toMatchObject({ status: 302, text: '' })
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    const { location = '' } = answer.headers
    expect(location.split('?')[0]).toBe(made.invitationUrl.split('?')[0])
    expect((await api.get(`/${queryOf(location)}`, { headers: PAGE })).status).toBe(200)
  })

  test('that no address can hold is shown at the short one', async () => {
    const { presentationDefinition } = requestBody.proofFormats.presentationExchange
    const fields = Array.from({ length: 100 }, (_, index) => ({
      path: [`$.credentialSubject.oneOfManyAttributes${index}`],
    }))
    const descriptors = [{ ...presentationDefinition.input_descriptors[0], constraints: { fields } }]
    const definition = { ...presentationDefinition, input_descriptors: descriptors }
    const body = { ...requestBody, proofFormats: { presentationExchange: { presentationDefinition: definition } } }
    const { body: long } = await api.post('/proofs/create-request-oob', { token: tokens.root, body })
    const path = `/url/${long.invitation['@id']}`
    const page = await api.get(path, { headers: PAGE })
    expect({ status: page.status, type: page.headers['content-type'] }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    })
    expect(await api.get(path)).toMatchObject({ status: 200, body: { '@id': long.invitation['@id'] } })
  })
})

test('an invitation of the connections protocol is shown in its own form', async () => {
  const { body } = await api.post('/oob/create-legacy-invitation', { token: tokens.root, body: { label: 'Acme' } })
  const { messageType: _, ...older } = body.invitation
  expect(older['@type']).toContain('/connections/1.0/')
  for (const path of [`/${queryOf(body.invitationUrl)}`, `/url/${older['@id']}`])
    expect(await api.get(path, { headers: JSON_ONLY })).toMatchObject({ status: 200, body: older })
  const { location = '' } = (await api.get(`/url/${older['@id']}`)).headers
  expect(location).toMatch(/\?c_i=/)
  const page = await api.get(`/${queryOf(location)}`, { headers: PAGE })
  expect(page.text).toMatch(/didcomm:\/\/invite\?c_i=[\w-]+"/)
})

test('an invitation that was deleted is a 410', async () => {
  const made = await api.post('/oob/create-invitation', { token: tokens.root, body: { goal: 'Meet us' } })
  const path = `/url/${made.body.invitation['@id']}`
  expect((await api.get(path)).status).toBe(302)
  await api.delete(`/oob/${made.body.outOfBandRecord.id}`, { token: tokens.root })
  expectError(await api.get(path), 410, { message: 'the invitation was used or deleted' })
})

test('an invitation for many is shown until it is deleted, at the address in the response', async () => {
  const body = { multiUseInvitation: true, goal: 'Meet <us>' }
  const made = await api.post('/oob/create-invitation', { token: tokens.root, body })
  const { pathname } = new URL(made.body.shortInvitationUrl)
  expect(await api.get(pathname, { headers: JSON_ONLY })).toMatchObject({ status: 200, body: { goal: 'Meet <us>' } })
  const page = await api.get(`/${queryOf(made.body.invitationUrl)}`, { headers: PAGE })
  expect(page.text).toContain('Meet &lt;us&gt;')
})

describe('nothing else is shown', () => {
  const own = { '@type': 'https://didcomm.org/out-of-band/1.1/invitation', '@id': randomUUID(), label: 'Your Bank' }
  const CASES: [string, () => string][] = [
    ['no invitation', () => '/'],
    ['no JSON', () => '/?oob=AAAA'],
    ['JSON that is not an object', () => longOf([])],
    ['JSON without an id', () => longOf({ label: 'Your Bank' })],
    ['JSON nested without end', () => `/?oob=${Buffer.from('['.repeat(4000)).toString('base64url')}`],
    ['an invitation of a third party', () => longOf(own)],
    ['ours with another label', () => longOf({ ...invitation, label: 'Your Bank' })],
    ['ours with a member more', () => longOf({ ...invitation, goal: 'Pay now' })],
    ['ours without a member', () => longOf({ ...invitation, label: undefined })],
    ['an unknown id', () => `/url/${randomUUID()}`],
  ]
  test.each(CASES)('%s: the same 404', async (_, path) => {
    expectError(await api.get(path()), 404, NOT_THERE)
    const page = await api.get(path(), { headers: PAGE })
    expect(page.status).toBe(404)
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'no-referrer' })
    expect(page.text).toContain('Page not found')
    expect(page.text).not.toContain('Your Bank')
  })

  test('a parameter that is given twice is a 400, as a page for a browser', async () => {
    const path = '/?oob=a&oob=b'
    expect((await api.get(path)).body).toMatchObject({ statusCode: 400 })
    const page = await api.get(path, { headers: PAGE })
    expect({ status: page.status, type: page.headers['content-type'] }).toEqual({
      status: 400,
      type: 'text/html; charset=utf-8',
    })
  })
})

test('one that was used is a 410', async () => {
  const path = `/url/${base.invitationId}`
  expectError(await api.get(path), 410, { message: 'the invitation was used or deleted' })
  const page = await api.get(path, { headers: PAGE })
  expect(page.status).toBe(410)
  expect(page.text).toContain('no longer valid')
})
