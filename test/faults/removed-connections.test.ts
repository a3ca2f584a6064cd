/** The job that removes what belonged to a deleted connection: killed after each write, and in several runs. */
import { type AttributeValue, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test, vi } from 'vitest'
import { jobItem } from '../../lib/jobs/job.ts'
import { runJob } from '../../lib/jobs/run.ts'
import { basicMessageRecords } from '../../lib/records/kinds.ts'
import { connectionRemovalJob } from '../../lib/removal/connection-job.ts'
import { readItem } from '../../lib/store/item.ts'
import { toRecordItem } from '../../lib/store/stored-record.ts'
import { connect } from '../support/scenes.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { settled, succeed } from '../support/tenants.ts'

type Item = Record<string, AttributeValue>

const { stage, caller, wallet } = await useTenantAndWallet()
const { tenantId: tenant } = caller
const { client, table: TableName } = stage

/** Writes until the process is killed; after each write the clock is `pace` ms later. */
let left = Number.POSITIVE_INFINITY
let pace = 0
withOpenStack(stage.serviceClient).middlewareStack.add(
  (next, { commandName = '' }) =>
    async (parameters) => {
      if (left <= 0) throw new Error('the process is gone')
      const result = await next(parameters)
      if (/^(Put|Update|Delete|TransactWrite)/.test(commandName)) {
        left -= 1
        vi.setSystemTime(Date.now() + pace)
      }
      return result
    },
  { step: 'initialize' },
)

const jobOf = (id: string) => ({ tenant, type: 'connection-removal', id }) as const

/** Runs the job an hour later, when no lease is left. */
const run = async (id: string) => {
  vi.setSystemTime(Date.now() + 60 * 60_000)
  await runJob(jobOf(id), connectionRemovalJob).catch(() => undefined)
}

const items = async (): Promise<Map<string, Item>> =>
  new Map((await itemsOf(stage, `${tenant}|`)).map((item) => [`${item.pk?.S} ${item.sk?.S}`, item]))

const putAll = (some: Item[]) => Promise.all(some.map((Item) => client.send(new PutItemCommand({ TableName, Item }))))

const restore = async (snapshot: Map<string, Item>): Promise<void> => {
  for (const [address, { pk = { S: '' }, sk = { S: '' } }] of await items())
    if (!snapshot.has(address)) await client.send(new DeleteItemCommand({ TableName, Key: { pk, sk } }))
  await putAll([...snapshot.values()])
}

/** A connection with a message both ways, of which only the job is left. The line stands still from then on. */
const deletedConnection = async (): Promise<string> => {
  stage.line.run()
  const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
  await succeed(stage, 'sendMessage', caller, { path: { connectionId }, body: { content: 'to the wallet' } })
  await wallet.sendMessage(walletConnectionId, 'from the wallet')
  await settled(stage)
  await succeed(stage, 'deleteConnection', caller, { path: { connectionId } })
  await settled(stage)
  await stage.line.pause()
  vi.useFakeTimers({ toFake: ['Date'] })
  return connectionId
}

test('killed after any of its writes, the job leaves the same table in the end', async () => {
  const id = await deletedConnection()
  const before = await items()
  await run(id)
  const after = await items()
  expect(after.size).toBeLessThan(before.size - 5)
  expect(await checkTable(client, TableName)).toEqual([])
  let kills = 0
  for (let isKilled = true; isKilled; kills++) {
    await restore(before)
    left = kills + 1
    await run(id)
    isKilled = left <= 0
    left = Number.POSITIVE_INFINITY
    if (isKilled) for (let runs = 0; runs < 2; runs++) await run(id)
    expect(await items()).toEqual(after)
  }
  expect(kills).toBeGreaterThan(3)
  vi.useRealTimers()
})

test('1,000 messages are removed in several runs, each in its time', async () => {
  const id = await deletedConnection()
  const createdAt = new Date().toISOString()
  const messages = Array.from({ length: 1_000 }, (_, number) => {
    const record = { tenant, type: basicMessageRecords.type, id: `m${number}`, version: 1 }
    return toRecordItem({ ...record, value: { id: record.id, createdAt }, tags: { connectionId: id } })
  })
  await putAll(messages)
  pace = 150
  let runs = 0
  for (; (await readItem(jobItem, jobOf(id))) !== undefined; runs++) await run(id)
  pace = 0
  expect(runs).toBeGreaterThan(2)
  expect(runs).toBeLessThan(6)
  expect(await itemsOf(stage, `${tenant}|BasicMessageRecord|`)).toEqual([])
  expect(await checkTable(client, TableName)).toEqual([])
  vi.useRealTimers()
})
