/** Answers under idempotency keys: those that are too large for an item of the table, and how long all are kept. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { onlyOnce } from '../../../lib/store/idempotency.ts'
import { idempotencyAddress } from '../../../lib/store/keys.ts'
import { sealedAnswers } from '../../../lib/store/sealed-answers.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { ACME } from './records.ts'
import { useTable } from './use-table.ts'

const table = await useTable()

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

test.each([
  ['as text', undefined],
  ['sealed', sealedAnswers],
])('one that is stored %s is kept for a day', async (_, codec) => {
  const request = { subject: 'somebody', key: randomBytes(8).toString('hex'), request: 'create', codec }
  await transaction(ACME, (unit) => onlyOnce(unit, request, async () => ({})))
  const { expiresAt } = (await table.get(idempotencyAddress(ACME, request.subject, request.key))) ?? {}
  expect(Math.abs(Number(expiresAt?.N) - Date.now() / 1000 - 24 * 60 * 60)).toBeLessThan(60)
})
