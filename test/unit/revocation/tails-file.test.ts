/** Tails files in the table, in pieces that fit in items. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  addTailsFile,
  readTailsFile,
  removeTailsFile,
  requireTailsFile,
  tailsPieceItem,
} from '../../../lib/revocation/tails-file.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ memory: true, check: false })

const add = (hash: string, content: Uint8Array) =>
  transaction('acme', async (unit) => addTailsFile(unit, hash, content))

test.each([
  ['of 100 credentials', 25_730],
  ['of 5,000 credentials, the largest', 1_280_130],
  ['of exactly one piece', 390 * 1024],
])('a file %s is read as written', async (name, size) => {
  const content = randomBytes(size)
  await add(name, content)
  expect((await readTailsFile(name))?.equals(content)).toBe(true)
})

test('a file without one of its pieces counts as missing', async () => {
  await add('torn', randomBytes(800_000))
  await removeIf(tailsPieceItem.addressOf({ hash: 'torn', piece: 1 }))
  expect(await readTailsFile('torn')).toBeUndefined()
})

test('a file with an unknown hash is missing', async () => {
  expect(await readTailsFile('unknown')).toBeUndefined()
})

test('a file that is removed leaves no piece', async () => {
  await add('removed', randomBytes(800_000))
  await transaction('acme', (unit) => removeTailsFile(unit, 'removed'))
  for (const piece of [0, 1, 2])
    expect(await table.get(tailsPieceItem.addressOf({ hash: 'removed', piece }))).toBeUndefined()
  await transaction('acme', (unit) => removeTailsFile(unit, 'removed'))
})

test('a file that is requested again is read once', async () => {
  const content = randomBytes(800_000)
  await add('asked for', content)
  let requests = 0
  table.way = async (_, send) => {
    requests += 1
    await send()
  }
  for (let time = 0; time < 3; time++) expect((await requireTailsFile('asked for')).equals(content)).toBe(true)
  expect(requests).toBe(1)
  table.way = undefined
})
