/** `npm start` where it cannot start: one line that says why, and exit code 1. */

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockDataFolder } from '../../infra/local/data-folder.ts'
import { startDatabase } from '../../infra/local/dynamodb.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { endPrograms, withoutNpm } from '../support/stage/program.ts'
import { npmStart, whenReady } from '../support/stage/started.ts'
import { CREDENTIALS, REGION } from '../support/table/dynamo.ts'
import { waitFor } from '../wallet/wait.ts'

afterAll(endPrograms)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const taken = createServer()

beforeAll(async () => {
  folder = await temporaryFolder()
  await writeFile(join(folder.path, 'file'), 'not a folder')
  taken.listen(0, '127.0.0.1')
  await once(taken, 'listening')
})
afterAll(async () => {
  taken.close()
  await folder[Symbol.asyncDispose]()
})

/** A table as an earlier release has left it: with items, and without the version of its layout. */
const leaveOldTable = async (dataDir: string): Promise<void> => {
  const database = await startDatabase({ dynamodbEndpoint: undefined, dataDir })
  const client = new DynamoDBClient({ endpoint: database.endpoint, region: REGION, credentials: CREDENTIALS })
  const TableName = 'serverless-agent-local'
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  )
  await client.send(new PutItemCommand({ TableName, Item: { pk: { S: '@tenant|acme' }, sk: { S: '~' } } }))
  client.destroy()
  await database.stop()
}

const refusalOf = async (env: Record<string, string>): Promise<string> => {
  const { code, stdout, stderr } = await npmStart({ env }).ended()
  expect({ code, stdout: withoutNpm(stdout) }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  return stderr.trimEnd()
}

describe.concurrent('an invalid setting', () => {
  test.each([[{ PORT: 'abc' }, 'PORT: is not a whole number from 0 to 65535']])('%j', async (env, line) => {
    expect(await refusalOf(env)).toMatch(line)
  })
})

test.concurrent('an unknown option', async () => {
  const { code, stdout, stderr } = await npmStart({ args: ['--', '--port', '3100'] }).ended()
  expect(code).toBe(1)
  expect(`${withoutNpm(stdout)}${stderr}`).toContain('Detected unrecognized CLI options: "--port".')
})

test.concurrent('a port that is taken', async () => {
  const PORT = String((taken.address() as AddressInfo).port)
  expect(await refusalOf({ PORT })).toBe(`Port ${PORT} is taken: set PORT to another one, or to 0 for any.`)
})

describe.concurrent('a folder for the data that', () => {
  test('is a file', async () => {
    const DATA_DIR = join(folder.path, 'file')
    expect(await refusalOf({ DATA_DIR })).toMatch(`DATA_DIR=${DATA_DIR}: `)
  })

  test('has a table of an earlier release', async () => {
    await using old = await temporaryFolder()
    await leaveOldTable(old.path)
    expect(await refusalOf({ DATA_DIR: old.path })).toBe(
      `DATA_DIR=${old.path}: its table has no layout version: begin with an empty one`,
    )
  })

  test('another stage uses', async () => {
    using _ = await lockDataFolder(folder.path)
    expect(await refusalOf({ DATA_DIR: folder.path })).toBe(`DATA_DIR=${folder.path}: another stage uses it`)
  })

  test('another stage uses is reported immediately, and is used as soon as that one has ended', async () => {
    await using used = await temporaryFolder()
    const lock = await lockDataFolder(used.path)
    const program = npmStart({ env: { DATA_DIR: used.path } })
    await waitFor('it to be said', () => program.stderr() === `DATA_DIR=${used.path}: another stage uses it\n`)
    expect(withoutNpm(program.stdout())).toBe('')
    lock[Symbol.dispose]()
    await whenReady(program)
    program.interrupt()
    expect(await program.ended()).toMatchObject({ stderr: `DATA_DIR=${used.path}: another stage uses it\n` })
  })
})
