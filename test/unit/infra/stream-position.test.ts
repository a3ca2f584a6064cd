/** How far a stream was worked off, kept over restarts. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { streamPosition } from '../../../infra/local/stream-position.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'

const STREAM = 'arn:aws:dynamodb:eu-west-1:000000000000:table/agent/stream/2026-01-01T00:00:00.000'
const PLACE = { shardId: 'shard-1', sequenceNumber: '000000000000000000042' }

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

describe('the position in a stream', () => {
  test('is nowhere before anything is done with', async () => {
    expect(await streamPosition(folder.path, 'dispatchChanges', STREAM).read()).toBeUndefined()
  })

  test('is there for the next start', async () => {
    await streamPosition(folder.path, 'dispatchChanges', STREAM).write({ ...PLACE, sequenceNumber: '1' })
    await streamPosition(folder.path, 'dispatchChanges', STREAM).write(PLACE)
    expect(await streamPosition(folder.path, 'dispatchChanges', STREAM).read()).toMatchObject(PLACE)
  })

  test('is each function’s own', async () => {
    await streamPosition(folder.path, 'dispatchChanges', STREAM).write(PLACE)
    expect(await streamPosition(folder.path, 'other', STREAM).read()).toBeUndefined()
  })

  test('is nowhere in the stream of a new table', async () => {
    await streamPosition(folder.path, 'dispatchChanges', STREAM).write(PLACE)
    expect(await streamPosition(folder.path, 'dispatchChanges', `${STREAM}1`).read()).toBeUndefined()
  })

  test.each(['', '{', '[]', '{"streamArn":"x"}'])('is nowhere when its file was cut off: "%s"', async (text) => {
    const position = streamPosition(folder.path, 'dispatchChanges', STREAM)
    await position.write(PLACE)
    const [file = ''] = await readdir(folder.path)
    await writeFile(join(folder.path, file), text)
    expect(await position.read()).toBeUndefined()
  })

  test('is written as a whole: nothing else is left in the folder', async () => {
    await streamPosition(folder.path, 'dispatchChanges', STREAM).write(PLACE)
    expect(await readdir(folder.path)).toEqual(['dispatchChanges-position.json'])
  })

  test('is not kept without a folder, as nothing of the stream is', async () => {
    const position = streamPosition(undefined, 'dispatchChanges', STREAM)
    await position.write(PLACE)
    expect(await position.read()).toBeUndefined()
  })
})
