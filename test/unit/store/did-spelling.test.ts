/** The two forms of a did:peer:4: the one that connections are found by is known from the records of DIDs. */

import { expect, test } from 'vitest'
import { OF_UNFINISHED_HANDSHAKE } from '../../../lib/records/handshake-expiry.ts'
import { knownSpelling } from '../../../lib/store/did-spelling.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTable } from './use-table.ts'

const SHORT = 'did:peer:4zQmShort'
const LONG = `${SHORT}:z2Document`
const DAY = 24 * 60 * 60_000

const _table = await useTable({ check: false })

const store = (id: string, createdAt: number, unfinished: boolean) =>
  transaction('acme', async (unit) => {
    unit.insert({
      ...{ tenant: 'acme', type: 'DidRecord', id },
      value: { id, did: LONG, createdAt: new Date(createdAt).toISOString() },
      tags: { did: LONG, alternativeDids: [SHORT], ...(unfinished && { [OF_UNFINISHED_HANDSHAKE]: true }) },
    })
  })

test('is known behind records of handshakes that have expired and are still in the table', async () => {
  const now = Date.now()
  for (let attempt = 0; attempt < 3; attempt++) await store(`expired-${attempt}`, now - 30 * DAY + attempt, true)
  await store('completed', now, false)
  expect(await knownSpelling('acme', SHORT)).toBe(LONG)
  expect(await knownSpelling('another', SHORT)).toBe(SHORT)
})
