/** The interface has every promise of the last release, but for what the CHANGELOG names. */
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { comparablePart } from '../../../infra/openapi.ts'
import { describeInterface } from '../../../lib/http/openapi.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { breakingChanges } from '../../support/api/breaking-changes.ts'
import type { Json } from '../../support/stage/in-process-stage.ts'

const inOrder = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true })
const releases = globSync('docs/openapi/*.json').toSorted(inOrder)
const released: Json = JSON.parse(readFileSync(releases.at(-1) ?? '', 'utf8'))

/** The sentences that the CHANGELOG does not have below "**Breaking**" of its first section. */
const unannounced = (sentences: string[], changelog: string): string[] => {
  const [, unreleased = ''] = changelog.split(/^## /m)
  const breaking = unreleased.split(/^(?=\*\*.*\*\*$)/m).find((part) => part.startsWith('**Breaking**')) ?? ''
  return sentences.filter((sentence) => !breaking.replaceAll(/\s+/g, ' ').includes(sentence))
}

describe('the interface of the last release', () => {
  test('is that of the version in package.json: npm run openapi', () => {
    expect(releases.at(-1)).toBe(`docs/openapi/${packageJson.version}.json`)
  })

  test('is kept, or CHANGELOG.md has these sentences below "**Breaking**"', () => {
    const document = comparablePart(describeInterface({ version: '1', url: 'https://agent.example' }))
    const sentences = breakingChanges(released, document)
    expect(unannounced(sentences, readFileSync('CHANGELOG.md', 'utf8'))).toEqual([])
  })
})

const body = (document: Json, path: string): Json =>
  document.paths[path].post.requestBody.content['application/json'].schema
const offer = (document: Json): Json => body(document, '/credentials/create-offer').properties
const limitOf = (document: Json): Json =>
  document.paths['/connections'].get.parameters.find(({ name }: Json) => name === 'limit')
const connection = (document: Json): Json => document.components.schemas.ConnectionRecord
const event = (document: Json): Json =>
  document.webhooks['basic_message.received'].post.requestBody.content['application/json'].schema.anyOf[0].anyOf[0]

const changed = (change: (document: Json) => unknown): string[] => {
  const document = structuredClone(released)
  change(document)
  expect(JSON.stringify(document)).not.toBe(JSON.stringify(released))
  return breakingChanges(released, document)
}

describe('a client is broken by', () => {
  test.each<[name: string, change: (document: Json) => unknown, sentences: string[]]>([
    ['a removed operation', ({ paths }) => delete paths['/health'].get, ['`GET /health` was removed']],
    [
      'a removed event',
      ({ webhooks }) => delete webhooks['certificate.expires'],
      ['`event certificate.expires` was removed'],
    ],
    [
      'a removed status',
      ({ paths }) => delete paths['/connections'].get.responses[200],
      ['`GET /connections response 200` was removed'],
    ],
    [
      'a removed field of a request',
      (document) => delete offer(document).credentialFormats.properties.jsonld,
      ['`POST /credentials/create-offer body application/json.credentialFormats.jsonld` was removed'],
    ],
    [
      'a removed field of a response, said once for all operations',
      (document) => delete connection(document).properties._tags.properties.theirDid,
      ['`ConnectionRecord in a response._tags.theirDid` was removed'],
    ],
    [
      'a field of a response that is no longer guaranteed',
      (document) => connection(document).required.shift(),
      [expect.stringMatching(/^`ConnectionRecord in a response\.\w+` is no longer guaranteed$/)],
    ],
    [
      'a new required field of a request',
      (document) => {
        body(document, '/basic-messages/{connectionId}').properties.locale = { type: 'string' }
        body(document, '/basic-messages/{connectionId}').required.push('locale')
      },
      ['`POST /basic-messages/{connectionId} body application/json.locale` is required'],
    ],
    [
      'a parameter that becomes required',
      (document) => Object.assign(limitOf(document), { required: true }),
      ['`GET /connections query limit` is required'],
    ],
    [
      'a smaller enum of a request',
      (document) => offer(document).protocolVersion.enum.shift(),
      ['`POST /credentials/create-offer body application/json.protocolVersion` accepts fewer values'],
    ],
    [
      'a smaller limit of a request',
      (document) => Object.assign(limitOf(document).schema, { maximum: 100 }),
      ['`GET /connections query limit` has a smaller limit (maximum)'],
    ],
    [
      'a stricter pattern of a request',
      (document) => Object.assign(limitOf(document).schema, { pattern: '^1$' }),
      ['`GET /connections query limit` has another pattern'],
    ],
    [
      'another type in an alternative of an event',
      (document) => Object.assign(event(document).properties.data.properties.sequence, { type: 'string' }),
      [expect.stringMatching(/^`event basic_message.received body application\/json.*sequence` has another type$/)],
    ],
    [
      'an alternative of a request that is gone',
      ({ components }) => Object.assign(components.schemas.JsonLdCredential.properties.issuer.anyOf, { length: 1 }),
      [expect.stringMatching(/^`JsonLdCredential in a request.issuer` /)],
    ],
    [
      'a further alternative of a response',
      (document) =>
        Object.assign(connection(document).properties, { did: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
      ['`ConnectionRecord in a response.did` has another type'],
    ],
    [
      'other members that are no longer taken',
      ({ components }) => Object.assign(components.schemas.JsonLdCredential, { additionalProperties: false }),
      ['`JsonLdCredential in a request.*` is no longer accepted'],
    ],
    [
      'a media type that is gone',
      ({ paths }) => delete paths['/didcomm'].post.requestBody.content['application/ssi-agent-wire'],
      ['`POST /didcomm body application/ssi-agent-wire` was removed'],
    ],
    [
      'a header that is gone',
      ({ components }) => delete components.responses.Unauthorized.headers['www-authenticate'],
      [expect.stringMatching(/ response 401 header www-authenticate` was removed$/)],
    ],
    [
      'a token that is needed',
      ({ paths }) => paths['/health'].get.security.push({ bearer: [] }),
      ['`GET /health` requires a token'],
    ],
  ])('%s', (_, change, sentences) => {
    const found = changed(change)
    expect(found[0]).toEqual(sentences[0])
    expect(new Set(found.map((sentence) => sentence.replace(/^`\w+ \/\S* /, ''))).size).toBe(1)
  })
})

describe('a client is not broken by', () => {
  test.each<[name: string, change: (document: Json) => unknown]>([
    ['a new operation', ({ paths }) => Object.assign(paths, { '/news': paths['/connections'] })],
    ['a new event', ({ webhooks }) => Object.assign(webhooks, { news: webhooks['basic_message.sent'] })],
    [
      'a further status',
      ({ paths }) =>
        Object.assign(paths['/health'].get.responses, { 404: { $ref: '#/components/responses/NotFound' } }),
    ],
    ['an optional field of a request', (document) => Object.assign(offer(document), { locale: { type: 'string' } })],
    [
      'a field of a response',
      (document) => Object.assign(connection(document).properties, { locale: { type: 'string' } }),
    ],
    ['a field of a response that is now guaranteed', (document) => connection(document).required.push('alias')],
    [
      'a field of a request that is no longer required',
      (document) => body(document, '/basic-messages/{connectionId}').required.pop(),
    ],
    ['a larger enum of a request', (document) => offer(document).protocolVersion.enum.push('v3')],
    ['a larger enum of a response', (document) => connection(document).properties.state.enum.push('paused')],
    ['a larger limit of a request', (document) => Object.assign(limitOf(document).schema, { maximum: 2000 })],
    ['no limit any more', (document) => delete limitOf(document).schema.maximum],
    ['a number where an integer was needed', (document) => Object.assign(limitOf(document).schema, { type: 'number' })],
    [
      'a further alternative of a request',
      (document) =>
        Object.assign(offer(document), { connectionId: { anyOf: [{ type: 'null' }, offer(document).connectionId] } }),
    ],
    [
      'another name of a component',
      (document) =>
        Object.assign(document, JSON.parse(JSON.stringify(document).replaceAll('ConnectionRecord"', 'Connection"'))),
    ],
    [
      'an optional parameter',
      ({ paths }) => paths['/connections'].get.parameters.push({ name: 'q', in: 'query', schema: {} }),
    ],
    ['no token', ({ paths }) => Object.assign(paths['/connections'].get, { security: [] })],
  ])('%s', (_, change) => {
    expect(changed(change)).toEqual([])
  })
})

test('a sentence is announced below "**Breaking**" of what is not released yet, whatever its line breaks', () => {
  const sentences = ['`GET /health` was removed', '`GET /docs` was removed']
  const changelog = (heading: string) =>
    `# Changelog\n\n## Unreleased\n\n**Add**\n\n- A thing.\n\n${heading}\n\n- \`GET /health\` was\n  removed: ask \`/\`.\n\n**Fix**\n\n- \`GET /docs\` was removed\n\n## 0.1.0\n`
  expect(unannounced(sentences, changelog('**Breaking**'))).toEqual(['`GET /docs` was removed'])
  expect(unannounced(sentences, changelog('**Change**'))).toEqual(sentences)
  expect(unannounced(sentences, `# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n**Breaking**\n\n- ${sentences}`)).toEqual(
    sentences,
  )
})
