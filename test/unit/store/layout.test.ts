/** A table of another layout: nothing is read or written in it, and a mended one is used without a new process. */

import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ensureLayout, readLayout } from '../../../infra/layout.ts'
import { newEntry } from '../../../lib/outbox/destinations/waiting-list.ts'
import { RECORDS } from '../../../lib/records/kinds.ts'
import { DUE_SHARDS, dueFor } from '../../../lib/store/due.ts'
import { LAYOUT_ITEM, LAYOUT_KEY, LayoutCheck } from '../../../lib/store/layout.ts'
import type { Item } from '../../../lib/store/table.ts'
import { eventPartitions } from '../../../lib/webhooks/event-item.ts'
import { failure } from './started-table.ts'
import { useTable } from './use-table.ts'

process.env.LOG_LEVEL = 'warn'
const table = await useTable({ check: false })

const OTHER: Item = { ...LAYOUT_ITEM, version: { N: '7' } }

const lines: string[] = []
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  lines.length = 0
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A process whose table has these items, one after the other; an error is thrown. */
const processWith = (...items: (Item | undefined | Error)[]) => {
  let readings = 0
  const sent: string[] = []
  const layout = new LayoutCheck(async () => {
    const item = items[Math.min(readings, items.length - 1)]
    readings += 1
    if (item instanceof Error) throw item
    return item
  })
  const send = (what: string) => async () => {
    sent.push(what)
    return what
  }
  return {
    read: (what = 'read') => layout.guard(send(what), false),
    write: (what = 'write') => layout.guard(send(what), true),
    sent,
    readings: () => readings,
  }
}
const wrong = expect.objectContaining({ code: 'store.unavailable' })

describe('the version of the layout', () => {
  test('is read once, beside the first requests', async () => {
    const { read, write, readings } = processWith(LAYOUT_ITEM)
    expect(await Promise.all([read(), read('another'), write()])).toEqual(['read', 'another', 'write'])
    expect(await read()).toBe('read')
    expect(readings()).toBe(1)
    expect(lines).toEqual([])
  })

  test('is awaited by a write and by no read', async () => {
    const reading = Promise.withResolvers<Item>()
    const layout = new LayoutCheck(() => reading.promise)
    const sent: string[] = []
    const all = Promise.all([
      layout.guard(async () => sent.push('write'), true),
      layout.guard(async () => sent.push('read'), false),
    ])
    expect(sent).toEqual(['read'])
    reading.resolve(LAYOUT_ITEM)
    await all
    expect(sent).toEqual(['read', 'write'])
  })

  test.each([
    ['another', OTHER, 'has layout version 7, not 3'],
    ['none', undefined, 'has no layout version'],
  ])('that is %s is store.unavailable, and logs what to do', async (_name, item, flaw) => {
    const { read, write, sent, readings } = processWith(item)
    const outcomes = await Promise.allSettled([read(), write()])
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual([wrong, wrong])
    expect(sent).not.toContain('write')
    expect(lines).toEqual([expect.stringContaining(`the table ${flaw}: deploy this version with a new table`)])
    await expect(read('later')).rejects.toEqual(wrong)
    expect(sent).not.toContain('later')
    expect(readings()).toBe(1)
  })

  test('that was mended is found after some seconds', async () => {
    const { read, readings } = processWith(undefined, LAYOUT_ITEM)
    await expect(read()).rejects.toEqual(wrong)
    vi.setSystemTime(Date.now() + 5_001)
    expect(await read()).toBe('read')
    expect(readings()).toBe(2)
  })

  test('that could not be read is not taken for a wrong one', async () => {
    const throttled = failure('ThrottlingException')
    const { read, write, sent } = processWith(throttled, LAYOUT_ITEM)
    await expect(write()).rejects.toBe(throttled)
    expect(sent).toEqual([])
    expect(await read()).toBe('read')
    expect(lines).toEqual([])
  })
})

test('the client of a process looks at the version before it writes, and hands out nothing of another table', async () => {
  await table.put(OTHER)
  onTestFinished(() => table.put(LAYOUT_ITEM))
  vi.resetModules()
  const { getItem, queryPage } = await import('../../../lib/store/table.ts')
  const { putIf, transact } = await import('../../../lib/store/write.ts')
  const item = { pk: { S: 'lane|other' }, sk: { S: '~' } }
  await expect(putIf(item)).rejects.toEqual(wrong)
  await expect(transact([{ put: item }])).rejects.toEqual(wrong)
  await expect(getItem({ pk: 'lane|other', sk: '~' })).rejects.toEqual(wrong)
  await expect(queryPage('lane|other')).rejects.toEqual(wrong)
  expect(await table.get({ pk: 'lane|other', sk: '~' })).toBeUndefined()
  await table.put(LAYOUT_ITEM)
  vi.setSystemTime(Date.now() + 5_001)
  expect(await putIf(item)).toBe(true)
})

describe('a table', () => {
  const { client, table: name } = table.dynamo
  beforeEach(async () => {
    for (const { pk, sk } of await table.items())
      await client.send(new DeleteItemCommand({ TableName: name, Key: { pk: pk ?? { S: '' }, sk: sk ?? { S: '' } } }))
  })

  test('that is empty gets the version, once', async () => {
    expect(await readLayout(client, name)).toEqual({ mismatch: undefined, isEmpty: true })
    expect(await Promise.all([ensureLayout(client, name), ensureLayout(client, name)])).toEqual([undefined, undefined])
    expect(await table.items()).toEqual([LAYOUT_ITEM])
    expect(await ensureLayout(client, name)).toBeUndefined()
    expect(await readLayout(client, name)).toEqual({ mismatch: undefined, isEmpty: false })
  })

  test('that gets another version while it is read keeps that', async () => {
    vi.spyOn(client, 'send').mockImplementationOnce(async () => {
      await table.put({ ...LAYOUT_KEY, ...OTHER })
      return { Items: [] }
    })
    await ensureLayout(client, name)
    expect(await table.items()).toEqual([OTHER])
  })

  test('with items and no version stays unchanged', async () => {
    const item = { pk: { S: '@tenant|acme' }, sk: { S: '~' } }
    await table.put(item)
    expect(await readLayout(client, name)).toEqual({ mismatch: 'has no layout version', isEmpty: false })
    expect(await ensureLayout(client, name)).toBe('has no layout version')
    expect(await table.items()).toEqual([item])
  })

  test('of another version stays unchanged', async () => {
    await table.put({ ...LAYOUT_KEY, ...OTHER })
    expect(await ensureLayout(client, name)).toBe('has layout version 7, not 3')
    expect(await table.items()).toEqual([OTHER])
  })
})

test('the shards are part of it: items stay where they are', () => {
  const lane = 'acme|ConnectionRecord|c1'
  expect(DUE_SHARDS).toHaveLength(16)
  expect(dueFor(lane, 5).dueShard).toBe('due|13')
  expect(newEntry(lane, 5, 'id')).toBe('13|000000000000005|id')
  expect(eventPartitions('e')).toHaveLength(8)
})

test('the indexes are part of it: what another release has stored is found', () => {
  const named = RECORDS.map(({ type, indexes }) => {
    const names = Object.values(indexes).map((index) => [index.name, index.with].filter(Boolean).join('+'))
    return [type, [...new Set(names)].sort().join(' ')]
  })
  // `vitest -u` is right for a new kind or index. What is removed or renamed here is a new layout (docs/adr/0038).
  expect({ version: LAYOUT_ITEM.version?.N, ...Object.fromEntries(named) }).toMatchInlineSnapshot(`
    {
      "AnonCredsCredentialDefinitionPrivateRecord": "id",
      "AnonCredsCredentialDefinitionRecord": "id",
      "AnonCredsKeyCorrectnessProofRecord": "id",
      "AnonCredsLinkSecretRecord": "default id",
      "AnonCredsRevocationRegistryDefinitionPrivateRecord": "id",
      "AnonCredsRevocationRegistryDefinitionRecord": "id",
      "AnonCredsSchemaRecord": "id",
      "BasicMessageRecord": "connectionId",
      "ConnectionRecord": "* alias did invitationDid outOfBandId rotating theirDid threadId unfinished",
      "CredentialDefinitionRecord": "* credentialDefinitionId",
      "CredentialRecord": "* connectionId parentThreadId revocation+connectionId threadId",
      "DidCommMessageRecord": "associatedRecordId",
      "DidRecord": "did public recipientKey",
      "OpenId4VcIssuanceSessionRecord": "*",
      "OpenId4VcIssuerRecord": "*",
      "OpenId4VcStatusRevocationRecord": "",
      "OpenId4VcTrustedIssuerRecord": "*",
      "OpenId4VcVerificationSessionRecord": "*",
      "OpenId4VcVerifierRecord": "*",
      "OutOfBandRecord": "* invitationId recipientKey requestThreadId",
      "ProofRecord": "* connectionId parentThreadId threadId",
      "QuestionAnswerRecord": "* connectionId threadId",
      "W3cCredentialRecord": "* credentialDefinitionId schemaId",
      "X509CertificateRecord": "*",
      "version": "3",
    }
  `)
})
