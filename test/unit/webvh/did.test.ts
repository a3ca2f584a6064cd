/** did:webvh identifiers: what is one, where its files are, and whose it is. */
import { afterEach, describe, expect, test } from 'vitest'
import { BASE_AGENT } from '../../../lib/records/tenant.ts'
import { settings } from '../../../lib/settings.ts'
import {
  isOurLocation,
  locationOf,
  parseDomain,
  parseResourceId,
  parseWebvhDid,
  possibleTenantOf,
  urlOfFile,
  urlOfResource,
} from '../../../lib/webvh/did.ts'
import { MAX_LINEAR_MS, processorTime } from '../../support/processor-time.ts'

const SCID = 'QmafDxggoWedXwqoiyse4sHSLVcdvGHMxgv1jX7kAT61Zx'
const did = (rest: string) => `did:webvh:${SCID}:${rest}`

const parsed = (rest: string) => {
  const found = parseWebvhDid(did(rest))
  if (found === undefined) throw new Error(`no did:webvh: ${rest}`)
  return found
}

const before = { ...settings() }
afterEach(() => {
  Object.assign(settings(), before)
})

describe('the log of a DID', () => {
  test.each([
    ['example.com', 'https://example.com/.well-known/did.jsonl'],
    ['example.com:a', 'https://example.com/a/did.jsonl'],
    ['Example.com:a:B', 'https://example.com/a/B/did.jsonl'],
    ['example.com%3A8443:a', 'https://example.com:8443/a/did.jsonl'],
    ['example.com%3a65535', 'https://example.com:65535/.well-known/did.jsonl'],
    ['example.com:a%20b', 'https://example.com/a%20b/did.jsonl'],
    ['localhost%3A3000:a', 'http://localhost:3000/a/did.jsonl'],
    ['localhost.example.com:a', 'https://localhost.example.com/a/did.jsonl'],
  ])('of %s is at %s', (rest, url) => {
    expect(urlOfFile(parsed(rest), 'did.jsonl')).toBe(url)
  })

  test('is on this machine without TLS on the local stage only', () => {
    settings().LOCAL_STAGE = false
    expect(urlOfFile(parsed('localhost%3A3000:a'), 'did.jsonl')).toBe('https://localhost:3000/a/did.jsonl')
  })
})

test('a resource is below the address of its DID, never below .well-known', () => {
  const urlOf = (rest: string) => {
    const id = parseResourceId(did(rest))
    return id && urlOfResource(id)
  }
  expect(urlOf('example.com/resources/zQm1')).toBe('https://example.com/resources/zQm1')
  expect(urlOf('example.com%3A1:a/b/c/d/e/f/zQm1')).toBe('https://example.com:1/a/b/c/d/e/f/zQm1')
})

test.each([
  '127.0.0.1',
  '1.2.3.4%3A80:a',
  '[::1]',
  'example.com%3A0',
  'example.com%3A123456',
  'example.com%2Fa',
  'user@example.com',
  'example.com:.',
  'example.com:..',
  'example.com:%2e%2E',
  'example.com:a%2Fb',
  'example.com:a%5Cb',
  'example.com:a%00',
  'example.com:a%3Fb',
  'example.com:%C3',
  'example.com:',
  'example.com:a/b',
  'example.com#a',
  '-example.com',
  '',
])('%s is not a did:webvh', (rest) => {
  expect(parseWebvhDid(did(rest))).toBeUndefined()
})

test.each([
  'example.com',
  'example.com/',
  'example.com/a/',
  'example.com/./z1',
  'example.com/../z1',
  'example.com/a/%2e%2e/z1',
  'example.com/a//z1',
  'example.com/z1?a=b',
  'example.com/z1#a',
  'example.com/a/b/c/d/e/f/z1',
])('%s is not the id of a resource', (rest) => {
  expect(parseResourceId(did(rest))).toBeUndefined()
})

const LABEL = 'a'.repeat(63)

test.each([
  ['localhost', true],
  ['localhost%3A3000', true],
  ['agent.example.com:a', true],
  ['xn--bcher-kva.example', true],
  [`${LABEL}.com`, true],
  [`a${LABEL}.com`, false],
  [`a.${LABEL.replace('a', '1')}a`, false],
  [`${Array(3).fill(LABEL).join('.')}.${'a'.repeat(61)}`, true],
  [`${Array(3).fill(LABEL).join('.')}.${'a'.repeat(62)}`, false],
  ['example', false],
  ['example.123', false],
  ['example.0x7f', false],
  ['a..example.com', false],
  ['a-.example.com', false],
  ['example.com%3A65536', false],
])('%s is the domain of a DID: %s', (domain, isOne) => {
  expect(parseDomain(domain) !== undefined).toBe(isOne)
})

test('an identifier has at most 4,096 characters, also that of a resource', () => {
  const path = `example.com:${'a'.repeat(4096 - did('example.com:').length)}`
  expect(parseWebvhDid(did(path))).toBeDefined()
  expect(parseWebvhDid(did(`${path}a`))).toBeUndefined()
  expect(parseResourceId(did(`${path}/zQm1`))).toBeUndefined()
})

test('long identifiers take no time', () => {
  const spent = processorTime()
  expect(parseWebvhDid(did(`a${'.a'.repeat(50_000)}`))).toBeUndefined()
  expect(parseWebvhDid(did(`${'a-'.repeat(100_000)}!`))).toBeUndefined()
  expect(parseResourceId(did(`example.com/${'a/'.repeat(100_000)}`))).toBeUndefined()
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})

describe('an agent of this service', () => {
  test.each([
    ['https://agent.example.com', 'acme', { domain: 'agent.example.com', path: ['webvh', 'acme'] }],
    [
      'https://agent.example.com:8443/dev',
      'acme',
      { domain: 'agent.example.com%3A8443', path: ['dev', 'webvh', 'acme'] },
    ],
    ['https://agent.example.com', BASE_AGENT, { domain: 'agent.example.com', path: ['webvh', 'base'] }],
    ['http://127.0.0.1:3000', 'acme', { domain: 'localhost%3A3000', path: ['webvh', 'acme'] }],
    ['http://[::1]:3000', 'acme', { domain: 'localhost%3A3000', path: ['webvh', 'acme'] }],
  ])('at %s has its DID below that', (publicUrl, tenant, location) => {
    settings().PUBLIC_URL = publicUrl
    expect(locationOf(tenant)).toEqual(location)
    const { domain, path } = location
    const own = parsed([domain, ...path].join(':'))
    expect({ tenant: possibleTenantOf(own), ours: isOurLocation(own) }).toEqual({ tenant, ours: true })
  })

  test.each([
    'other.example.com:webvh:acme',
    'agent.example.com:acme',
    'agent.example.com:x:webvh:acme',
    'agent.example.com%3A1:webvh:acme',
    'agent.example.com:web:acme',
    `agent.example.com:webvh:${'a'.repeat(65)}`,
  ])('has no DID at %s', (rest) => {
    settings().PUBLIC_URL = 'https://agent.example.com'
    expect(isOurLocation(parsed(rest))).toBe(false)
  })

  test.each(['a:web:acme', 'a:acme', `a:webvh:${'a'.repeat(65)}`])('hosts no DID with the path %s', (path) => {
    expect(possibleTenantOf(parsed(`example.com:${path}`))).toBeUndefined()
  })
})
