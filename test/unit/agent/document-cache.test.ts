/** What agents keep in memory of the documents of others, who choose how large and how many they are. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DocumentCache } from '../../../lib/agent/document-cache.ts'
import { contextOf } from './credo-storage.ts'

let cache: DocumentCache

beforeEach(() => {
  cache = new DocumentCache()
})
afterEach(() => {
  vi.useRealTimers()
})

const acme = contextOf('acme')
const document = { id: 'did:web:example.com' }

test('a document is there for all agents, until it is removed', async () => {
  await cache.set(acme, 'did', document)
  expect(await cache.get(acme, 'did')).toEqual(document)
  expect(await cache.get(contextOf('other'), 'did')).toEqual(document)
  expect(await cache.get(acme, 'another')).toBeNull()
  await cache.remove(acme, 'did')
  expect(await cache.get(acme, 'did')).toBeNull()
})

test('a document is forgotten after the seconds that were asked for', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const start = Date.now()
  await cache.set(acme, 'did', document, 300)
  vi.setSystemTime(start + 299_999)
  expect(await cache.get(acme, 'did')).toEqual(document)
  vi.setSystemTime(start + 300_000)
  expect(await cache.get(acme, 'did')).toBeNull()
})

test('many large documents do not fill the memory: the oldest are forgotten', async () => {
  const large = () => ({ ...document, service: 'x'.repeat(256 * 1024) })
  for (let made = 0; made < 100; made++) await cache.set(acme, `did${made}`, large())
  const kept: number[] = []
  for (let made = 0; made < 100; made++) if ((await cache.get(acme, `did${made}`)) !== null) kept.push(made)
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.length * 256).toBeLessThanOrEqual(5 * 1024)
  expect(kept.at(-1)).toBe(99)
})
