/** What strangers may see of our invitations follows their records, in the same transaction. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { findPublishedInvitation } from '../../../lib/store/published-invitations.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { NewRecord } from '../../../lib/store/unit-of-work.ts'
import { ACME, newRecord } from './records.ts'
import { useTable } from './use-table.ts'

const TYPE = 'OutOfBandRecord'

const table = await useTable()

const recordOf = (invitation: object, changes: object = {}, tenant = ACME): NewRecord => {
  const { value, ...record } = newRecord({ type: TYPE, tenant })
  return {
    ...record,
    value: { ...value, role: 'sender', state: 'await-response', outOfBandInvitation: invitation, ...changes },
  }
}

const save = (record: NewRecord) => transaction(record.tenant, async (unit) => void unit.insert(record))
const change = (record: NewRecord, value: object) =>
  transaction(
    record.tenant,
    async (unit) => void (await unit.update({ ...record, value: { ...record.value, ...value } })),
  )
const remove = ({ tenant, type, id }: NewRecord) =>
  transaction(tenant, async (unit) => void (await unit.remove(tenant, type, id)))

const newInvitation = () => ({ '@id': randomUUID(), '@type': 'invitation', label: 'Acme' })

describe('an invitation', () => {
  test('is there as long as it can be used, and gone when it was used', async () => {
    const invitation = newInvitation()
    const record = recordOf(invitation)
    await save(record)
    expect(await findPublishedInvitation(invitation['@id'])).toEqual(invitation)
    await change(record, { state: 'done' })
    expect(await findPublishedInvitation(invitation['@id'])).toBe('gone')
  })

  test('that was changed before it was written has its last words and id', async () => {
    const first = newInvitation()
    const last = newInvitation()
    await transaction(ACME, async (unit) => {
      const record = recordOf(first)
      unit.insert(record)
      await unit.update({ ...record, value: { ...record.value, outOfBandInvitation: last } })
    })
    expect(await findPublishedInvitation(last['@id'])).toEqual(last)
    expect(await findPublishedInvitation(first['@id'])).toBeUndefined()
  })

  test('is gone when its record is deleted, with its words', async () => {
    const invitation = newInvitation()
    const record = recordOf(invitation)
    await save(record)
    await remove(record)
    expect(await findPublishedInvitation(invitation['@id'])).toBe('gone')
  })

  test('of somebody else, which an agent has received, is not shown', async () => {
    const invitation = newInvitation()
    const record = recordOf(invitation, { role: 'receiver', state: 'prepare-response' })
    await save(record)
    expect(await findPublishedInvitation(invitation['@id'])).toBeUndefined()
    await remove(record)
    expect(await findPublishedInvitation(invitation['@id'])).toBeUndefined()
  })

  test('is found in one read, and so is that there is none', async () => {
    const invitation = newInvitation()
    await save(recordOf(invitation))
    table.watch()
    await findPublishedInvitation(invitation['@id'])
    await findPublishedInvitation(randomUUID())
    expect(table.requests).toEqual(['GetItem', 'GetItem'])
  })

  test('that nobody has made is not there', async () => {
    expect(await findPublishedInvitation(randomUUID())).toBeUndefined()
    expect(await findPublishedInvitation('|'.repeat(10_000))).toBeUndefined()
  })

  test('costs no write where its record changes and it does not', async () => {
    const record = recordOf(newInvitation())
    await save(record)
    table.watch()
    await change(record, { alias: 'x' })
    await change(record, { state: 'done' })
    const [unseen = 0, seen] = table.transactions
    expect(seen).toBe(unseen + 1)
  })
})

test('an id is its first agent’s: no other shows something else by it', async () => {
  const invitation = newInvitation()
  await save(recordOf(invitation))
  await expect(save(recordOf({ ...invitation, label: 'Globex' }, {}, 'globex'))).rejects.toMatchObject({
    code: 'store.conflict',
  })
  expect(await findPublishedInvitation(invitation['@id'])).toEqual(invitation)
})
