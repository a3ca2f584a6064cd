/**
 * The file of the embedded DynamoDB: dynoxide's reads of the stream find their index in it, whichever process started the
 * database.
 */
import { copyFileSync, readdirSync, readlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDatabase } from '../../../infra/local/dynamodb.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'
import { embeddedDatabases } from '../../support/stage/processes.ts'
import { startDynamo } from '../../support/table/dynamo.ts'

/** The two that dynoxide 1.2 makes of the stream: with each item written, and with each GetRecords. */
const READS = {
  'the last sequence number':
    'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?1',
  'the records after one': `SELECT event_name, keys_json, new_image, old_image, sequence_number, created_at, user_identity
    FROM _stream_records WHERE table_name = ?1 AND shard_id = ?2 AND CAST(sequence_number AS INTEGER) > ?3
    ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT ?4`,
}

const INDEX = 'stream_records_by_sequence'

const newFolder = async (): Promise<string> => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder.path
}

/** How SQLite makes each read of a database, by its file. */
const plansIn = (path: string): Record<string, string> => {
  using database = new DatabaseSync(path)
  const planOf = (sql: string) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ')
  return Object.fromEntries(Object.entries(READS).map(([name, sql]) => [name, planOf(sql)]))
}

const USING_INDEX = {
  'the last sequence number': `SEARCH _stream_records USING COVERING INDEX ${INDEX} (table_name=?)`,
  'the records after one': `SEARCH _stream_records USING INDEX ${INDEX} (table_name=? AND <expr>>?)`,
}

interface OpenFile {
  /** Of the name that it had when it was opened. */
  path: string
  descriptor: string
}

/** The open files of the database that was started last, which may have no names any more. */
const openFiles = (): OpenFile[] => {
  const folder = `/proc/${embeddedDatabases().at(-1)?.pid}/fd`
  return readdirSync(folder)
    .map((name) => ({ path: readlinkSync(join(folder, name)), descriptor: join(folder, name) }))
    .filter(({ path }) => path.includes('dynamodb.sqlite'))
    .map(({ path, descriptor }) => ({ path: path.replace(/ \(deleted\)$/, ''), descriptor }))
}

const startIn = async (dataDir: string | undefined) => {
  const database = await startDatabase({ dynamodbEndpoint: undefined, dataDir })
  onTestFinished(() => database.stop())
  return database
}

describe('in a data folder', () => {
  test('the reads of the stream use an index', async () => {
    const dataDir = await newFolder()
    await startIn(dataDir)
    expect(plansIn(join(dataDir, 'dynamodb.sqlite'))).toEqual(USING_INDEX)
  })

  test('that an earlier version has left without index, it is made at the next start', async () => {
    const dataDir = await newFolder()
    const path = join(dataDir, 'dynamodb.sqlite')
    await (await startIn(dataDir)).stop()
    {
      using database = new DatabaseSync(path)
      database.exec(`DROP INDEX ${INDEX}`)
    }
    expect(plansIn(path)['the records after one']).toContain('SCAN')
    await (await startIn(dataDir)).stop()
    expect(plansIn(path)).toEqual(USING_INDEX)
    // Once more is not too often.
    await (await startIn(dataDir)).stop()
    expect(plansIn(path)).toEqual(USING_INDEX)
  })
})

describe('without one, as in tests', () => {
  test('the reads of the stream use an index', async () => {
    const dynamo = await startDynamo()
    onTestFinished(() => dynamo.stop())
    const folder = await newFolder()
    for (const { path, descriptor } of openFiles())
      if (!path.endsWith('-shm')) copyFileSync(descriptor, join(folder, basename(path)))
    expect(plansIn(join(folder, 'dynamodb.sqlite'))).toEqual(USING_INDEX)
  })

  test('nothing lies on the disk once it has started, so nothing is left however it ends', async () => {
    await startIn(undefined)
    const folders = new Set(openFiles().map(({ path }) => dirname(path)))
    expect(folders.size).toBe(1)
    for (const folder of folders) await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
