/** What agents serve under did:webvh: one read each, of their own tenant only, as large as a registry's links get. */
import { describe, expect, test } from 'vitest'
import { itemBytes } from '../../../lib/store/item.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { MAX_ITEM_BYTES } from '../../../lib/store/write.ts'
import {
  etagOf,
  publishLog,
  publishResource,
  readWebvhLog,
  readWebvhResource,
  replaceResource,
  requireLog,
  requireResource,
} from '../../../lib/webvh/published.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ memory: true, check: false })

const NOT_FOUND = { code: 'resource.not_found' }
const fixed = (document: string) => ({ document, grows: false })

test('a resource is read by one GetItem, and a log too', async () => {
  await transaction('reads', async (unit) => {
    publishLog(unit, { did: 'did:webvh:reads', log: '{}\n' })
    await publishResource(unit, 'zOne', fixed('{"a":1}'))
  })
  table.watch()
  await expect(requireResource('reads', 'zOne')).resolves.toMatchObject({ document: '{"a":1}', grows: false })
  await expect(requireLog('reads')).resolves.toMatchObject({ log: '{}\n' })
  expect(table.requests).toEqual(['GetItem', 'GetItem'])
})

test('a document of another tenant, or an unknown one, is not found', async () => {
  await transaction('owner', (unit) => publishResource(unit, 'zOwned', fixed('{}')))
  await expect(requireResource('other', 'zOwned')).rejects.toMatchObject(NOT_FOUND)
  await expect(requireResource('owner', 'zUnknown')).rejects.toMatchObject(NOT_FOUND)
  await expect(requireLog('owner')).rejects.toMatchObject(NOT_FOUND)
})

test('a unit of work sees its own publications, which no other unit sees before the commit', async () => {
  await transaction('unit', async (unit) => {
    publishLog(unit, { did: 'did:webvh:unit', log: '{}\n' })
    await publishResource(unit, 'zUnit', fixed('{}'))
    await expect(readWebvhLog(unit, 'unit')).resolves.toHaveProperty('did', 'did:webvh:unit')
    await expect(readWebvhResource(unit, 'unit', 'zUnit')).resolves.toHaveProperty('document', '{}')
    await expect(requireResource('unit', 'zUnit')).rejects.toMatchObject(NOT_FOUND)
  })
  await expect(requireResource('unit', 'zUnit')).resolves.toHaveProperty('document', '{}')
})

test('a unit of work takes nothing of another agent for its own', async () => {
  const growing = { document: '{}', grows: true }
  await transaction('theirs', async (unit) => {
    publishLog(unit, { did: 'did:webvh:theirs', log: '{}\n' })
    await publishResource(unit, 'zTheirs', growing)
  })
  await transaction('ours', async (unit) => {
    publishLog(unit, { did: 'did:webvh:ours', log: '{}\n' })
    await publishResource(unit, 'zOurs', growing)
    await expect(readWebvhLog(unit, 'theirs')).resolves.toHaveProperty('did', 'did:webvh:theirs')
    await expect(readWebvhResource(unit, 'theirs', 'zTheirs')).resolves.toEqual(expect.objectContaining(growing))
    await expect(readWebvhResource(unit, 'theirs', 'zOurs')).resolves.toBeUndefined()
    await expect(replaceResource(unit, 'zTheirs', '{"other":1}')).resolves.toBe(false)
  })
})

test('a resource that does not grow is not replaced', async () => {
  await transaction('fixed', (unit) => publishResource(unit, 'zFixed', fixed('{}')))
  table.watch()
  await transaction('fixed', async (unit) => {
    await expect(replaceResource(unit, 'zFixed', '{"other":1}')).resolves.toBe(false)
    await expect(replaceResource(unit, 'zUnknown', '{"other":1}')).resolves.toBe(false)
  })
  expect(table.requests).toEqual(['GetItem', 'GetItem'])
  await expect(requireResource('fixed', 'zFixed')).resolves.toHaveProperty('document', '{}')
})

test('a change builds on what was read: of two concurrent ones the second is repeated', async () => {
  await transaction('counter', (unit) => publishResource(unit, 'zCounter', { document: '0', grows: true }))
  const increment = () =>
    transaction('counter', async (unit) => {
      const before = await readWebvhResource(unit, 'counter', 'zCounter')
      await new Promise((resolve) => setImmediate(resolve))
      await replaceResource(unit, 'zCounter', String(Number(before?.document) + 1))
    })
  await Promise.all([increment(), increment(), increment()])
  await expect(requireResource('counter', 'zCounter')).resolves.toHaveProperty('document', '3')
})

test('a change stays where the resource is read at the same time', async () => {
  await transaction('reader', (unit) => publishResource(unit, 'zRead', { document: '0', grows: true }))
  await transaction('reader', async (unit) => {
    await Promise.all([replaceResource(unit, 'zRead', '1'), readWebvhResource(unit, 'reader', 'zRead')])
  })
  await expect(requireResource('reader', 'zRead')).resolves.toHaveProperty('document', '1')
})

test('an ETag differs where the document does', () => {
  expect(etagOf('a')).toMatch(/^"[\w-]{43}"$/)
  expect(etagOf('a')).not.toBe(etagOf('b'))
})

describe('a registry of 5,000 links', () => {
  const host = `${'a'.repeat(63)}.execute-api.eu-central-1.amazonaws.com`
  const did = `did:webvh:Qm${'x'.repeat(44)}:${host}:dev:webvh:6f9619ff-8b86-4d01-b42d-00cf4fc964ff`
  /** Text that does not compress, as hashes do not. */
  const digestOf = (index: number) =>
    etagOf(`${index}`)
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .padEnd(43, '7')
  const links = Array.from({ length: 5_000 }, (_, index) => ({
    id: `${did}/resources/zQm${digestOf(index)}`,
    type: 'anonCredsStatusList',
    timestamp: 1_800_000_000 + index * 3_601,
  }))

  test('fits into an item, and is served unchanged', async () => {
    const document = JSON.stringify({ id: `${did}/resources/z`, content: {}, links, proof: {} })
    await transaction('large', (unit) => publishResource(unit, 'zLarge', { document, grows: true }))
    const [item = {}] = await table.items('large|webvh|resource')
    expect(itemBytes(item)).toBeLessThan(MAX_ITEM_BYTES * 0.75)
    expect(document.length).toBeGreaterThan(1_000_000)
    await expect(requireResource('large', 'zLarge')).resolves.toHaveProperty('document', document)
  })
})
