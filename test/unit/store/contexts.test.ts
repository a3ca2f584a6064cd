/** Contexts that verifiers trust, by the digest of their text. */
import { expect, test } from 'vitest'
import { readContexts, storeContext } from '../../../lib/store/contexts.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { ACME } from './records.ts'
import { useTable } from './use-table.ts'

await useTable()

test('a text at two addresses should be stored once, and read for both', async () => {
  const texts = ['{"@context":{}}', '{"@context":{}}', '{"@context":{"name":"https://schema.org/name"}}']
  const stored = await transaction(ACME, (unit) => Promise.all(texts.map((text) => storeContext(unit, ACME, text))))
  expect(await transaction(ACME, (unit) => readContexts(unit, stored))).toEqual(texts)
})
