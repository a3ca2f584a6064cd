/** Answers under idempotency keys: those that are too large for an item of the table, and how long all are kept. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { onlyOnce } from '../../../lib/store/idempotency.ts'
import { idempotencyAddress } from '../../../lib/store/keys.ts'
import { sealedResponses } from '../../../lib/store/sealed-responses.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { ACME } from './records.ts'
import { useTable } from './use-table.ts'

const table = await useTable()

// 300 KB end at another byte of a character for each of them.
const padded = ['', 'a', 'ab', 'abc'].map((start) => `${start}${'𝄞€é'.repeat(40_000)}`)

test.each<[string, string]>([
  ['short', 'short'],
  ['of 500 KB that hardly compress', randomBytes(250 * 1024).toString('hex')],
  ['of 700 KB that hardly compress', randomBytes(350 * 1024).toString('hex')],
  ...padded.map((text): [string, string] => ['of characters of several bytes', text]),
])('one %s is the same the second time', async (_, text) => {
  const request = { subject: 'somebody', key: randomBytes(8).toString('hex'), request: 'create' }
  const ask = (answer: object) => transaction(ACME, (unit) => onlyOnce(unit, request, async () => answer))
  expect(await ask({ text })).toEqual({ text })
  expect(await ask({ text: 'another' })).toEqual({ text })
})

test.each([
  ['as text', 1, undefined],
  ['in pieces', 3, undefined],
  ['sealed', 1, sealedResponses],
])('one that is stored %s is kept for a day, and none of which a part is gone is given', async (_, count, codec) => {
  const request = { subject: 'somebody', key: randomBytes(8).toString('hex'), request: 'create', codec }
  const ask = () =>
    transaction(ACME, (unit) => onlyOnce(unit, request, async () => ({ text: 'x'.repeat(count * 2e5) })))
  await ask()
  const { pk } = idempotencyAddress(ACME, request.subject, request.key)
  const items = await table.items(pk)
  expect(items).toHaveLength(count)
  for (const { expiresAt } of items) expect(Math.round((Number(expiresAt?.N) - Date.now() / 1000) / 3600)).toBe(24)
  if (count === 1) return
  await removeIf({ pk, sk: '2' })
  await expect(ask()).rejects.toMatchObject({ code: 'internal' })
})
