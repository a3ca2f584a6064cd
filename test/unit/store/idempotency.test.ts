/** Answers under idempotency keys that are too large for an item of the table. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { onlyOnce } from '../../../lib/store/idempotency.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { ACME } from './records.ts'
import { useTable } from './use-table.ts'

await useTable()

// 300 KB end at another byte of a character for each of them.
const padded = ['', 'a', 'ab', 'abc'].map((start) => `${start}${'𝄞€é'.repeat(40_000)}`)

test.each<[string, string]>([
  ['short', 'short'],
  ['of 700 KB that hardly compress', randomBytes(350 * 1024).toString('hex')],
  ...padded.map((text): [string, string] => ['of characters of several bytes', text]),
])('one %s is the same the second time', async (_, text) => {
  const request = { subject: 'somebody', key: randomBytes(8).toString('hex'), request: 'create' }
  const ask = (answer: object) => transaction(ACME, (unit) => onlyOnce(unit, request, async () => answer))
  expect(await ask({ text })).toEqual({ text })
  expect(await ask({ text: 'another' })).toEqual({ text })
})
