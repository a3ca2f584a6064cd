/** `npm run item`, as an operator types it: an item in plain, or in a line why it shows none. */
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { COMPILED } from '../../../infra/local/compile-cache.ts'
import { toRecordItem } from '../../../lib/store/stored-record.ts'
import { runProgram } from '../../support/stage/program.ts'
import { CREDENTIALS, REGION } from '../../support/table/dynamo.ts'
import { storedRecord } from '../store/records.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ check: false })

const ITEM = resolve('infra/item.ts')
const env = {
  ...{ NODE_COMPILE_CACHE: COMPILED, AWS_REGION: REGION },
  ...{ AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId, AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey },
  ...{ TABLE_NAME: table.dynamo.table, DYNAMODB_ENDPOINT: table.dynamo.endpoint },
}
const item = (...args: string[]) => runProgram(process.execPath, [ITEM, ...args], { env })

test('a record is shown with its content unpacked, by its pk alone', async () => {
  const record = storedRecord({ value: { label: 'x'.repeat(100) } })
  const stored = toRecordItem(record)
  await table.put(stored)
  const { code, stdout } = await item(stored.pk?.S ?? '')
  expect({ code, shown: JSON.parse(stdout) }).toMatchObject({
    ...{ code: 0, shown: { pk: stored.pk?.S, sk: '~', content: [{ label: 'x'.repeat(100) }, {}] } },
  })
})

test('one of several in a partition is shown by its sk, and not once it has expired', async () => {
  const key = { pk: { S: 'partition' }, sk: { S: 'second' } }
  await table.put({ ...key, sk: { S: 'first' }, kind: { S: 'one' } })
  await table.put({ ...key, kind: { S: 'other' } })
  expect(JSON.parse((await item('partition', 'second')).stdout)).toEqual({
    pk: 'partition',
    sk: 'second',
    kind: 'other',
  })
  await table.put({ ...key, expiresAt: { N: '1' } })
  expect(await item('partition', 'second')).toMatchObject({
    ...{ code: 1, stdout: '', stderr: 'there is no such item, or it has expired\n' },
  })
})

const USAGE = 'usage: npm run item -- <pk> [<sk>] --stage <stage>'

test.each([
  [USAGE, []],
  [USAGE, ['pk', 'sk', 'more']],
  ['--stage is the name of a stage', ['pk', '--stage', 'a b']],
])('%s', async (line, args) => {
  expect(await item(...args)).toMatchObject({ code: 1, stdout: '', stderr: `${line}\n` })
})
