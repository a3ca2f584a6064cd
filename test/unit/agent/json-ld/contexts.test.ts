/** Contexts that verifiers trust, by the digest of their text. */
import { expect, test } from 'vitest'
import { readContexts, storeContext } from '../../../../lib/agent/formats/json-ld/stored-contexts.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { ACME } from '../../store/records.ts'
import { useTable } from '../../store/use-table.ts'

await useTable()

test('a text at two addresses should be stored once, and read for both', async () => {
  const texts = ['{"@context":{}}', '{"@context":{}}', '{"@context":{"name":"https://schema.org/name"}}']
  const stored = await transaction(ACME, (unit) => Promise.all(texts.map((text) => storeContext(unit, ACME, text))))
  expect(await transaction(ACME, (unit) => readContexts(unit, stored))).toEqual(texts)
})

test('a text that is not stored should fail those that are read with it', async () => {
  const stored = await transaction(ACME, (unit) => storeContext(unit, ACME, '{"@context":{"stored":true}}'))
  const read = transaction(ACME, (unit) => readContexts(unit, [stored, { scope: ACME, digest: 'none' }]))
  await expect(read).rejects.toMatchObject({ code: 'internal' })
})

test('a text in memory should be found though another one that is read with it takes its place there', async () => {
  const texts = Array.from({ length: 51 }, (_, number) => JSON.stringify({ '@context': { number } }))
  const stored = await transaction(ACME, (unit) => Promise.all(texts.map((text) => storeContext(unit, ACME, text))))
  const read = (some: typeof stored) => transaction(ACME, (unit) => readContexts(unit, some))
  for (const one of stored.slice(0, 50)) await read([one])
  const [oldest, last] = [stored.slice(0, 1), stored.slice(50)]
  expect(await read([...oldest, ...last])).toEqual([texts[0], texts[50]])
})
