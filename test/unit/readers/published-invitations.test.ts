/** What unauthenticated callers may see of our invitations changes with their records, in the same transaction. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { findPublishedInvitation } from '../../../lib/readers/published-invitations.ts'
import { recordAddress } from '../../../lib/store/keys.ts'
import { pointerTo } from '../../../lib/store/pointers.ts'
import type { NewRecord } from '../../../lib/store/stored-record.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { ACME, newRecord } from '../store/records.ts'
import { useTable } from '../store/use-table.ts'

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

const idOf = ({ value }: NewRecord): string => (value.outOfBandInvitation as { '@id': string })['@id']

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
    expect(pointerTo(record, 1)?.expiresAt).toEqual({ N: String(1 + 90 * 24 * 60 * 60) })
  })

  test('that stands for a DID, as other agents may have it, is not shown', async () => {
    const did = 'did:web:example.org'
    await save(recordOf({ ...newInvitation(), '@id': did }))
    expect(await findPublishedInvitation(did)).toBeUndefined()
  })

  test('of another agent, which was received, is not shown', async () => {
    const invitation = newInvitation()
    const record = recordOf(invitation, { role: 'receiver', state: 'prepare-response' })
    await save(record)
    expect(await findPublishedInvitation(invitation['@id'])).toBeUndefined()
    await remove(record)
    expect(await findPublishedInvitation(invitation['@id'])).toBeUndefined()
  })

  test('is found in two reads, an unknown or used one in one', async () => {
    const [open, deleted] = [recordOf(newInvitation()), recordOf(newInvitation())]
    for (const record of [open, deleted]) await save(record)
    await remove(deleted)
    const countReads = async (id: string) => {
      table.watch()
      await findPublishedInvitation(id)
      return table.requests
    }
    expect(await countReads(idOf(open))).toEqual(['GetItem', 'GetItem'])
    expect(await countReads(idOf(deleted))).toEqual(['GetItem'])
    expect(await countReads(randomUUID())).toEqual(['GetItem'])
  })

  test('is all that is shown of its record', async () => {
    const invitation = newInvitation()
    await save(recordOf(invitation, { alias: 'a secret', reuseConnectionId: 'another' }))
    expect(await findPublishedInvitation(invitation['@id'])).toEqual(invitation)
  })

  test.each<[string, object]>([
    ['another invitation', { outOfBandInvitation: newInvitation() }],
    ['an invitation that its agent has received', { role: 'receiver' }],
    ['no invitation', { outOfBandInvitation: undefined }],
  ])('is not that of a record that has %s', async (_, changes) => {
    const invitation = newInvitation()
    const record = recordOf(invitation)
    await save(record)
    await change(record, changes)
    expect(await findPublishedInvitation(invitation['@id'])).toBe('gone')
    await change(record, {})
  })

  test('is gone with its record, however that went', async () => {
    const invitation = newInvitation()
    const record = recordOf(invitation)
    await save(record)
    const address = recordAddress(record.tenant, record.type, record.id)
    const item = await table.get(address)
    await removeIf(address)
    expect(await findPublishedInvitation(invitation['@id'])).toBe('gone')
    if (item !== undefined) await table.put(item)
  })

  test('that was never created is not found', async () => {
    expect(await findPublishedInvitation(randomUUID())).toBeUndefined()
    expect(await findPublishedInvitation('|'.repeat(10_000))).toBeUndefined()
  })

  test('costs a write when its record is made and when it is deleted, and none in between', async () => {
    const record = recordOf(newInvitation())
    const received = recordOf(newInvitation(), { role: 'receiver' })
    const writesOf = async (act: (of: NewRecord) => Promise<void>): Promise<number> => {
      table.watch()
      for (const one of [record, received]) await act(one)
      const [ours = 0, others = 0] = table.writes
      return ours - others
    }
    expect(await writesOf(save)).toBe(1)
    expect(await writesOf((one) => change(one, { state: 'done' }))).toBe(0)
    expect(await writesOf(remove)).toBe(1)
  })
})

describe('an invitation in the form of connections/1.0', () => {
  const LEGACY = { metadata: { '_internal/legacyInvitation': { legacyInvitationType: 'connections/1.x' } } }
  const shownOf = async (more: object, changes: object = {}) => {
    const { label: _, ...invitation } = newInvitation()
    const record = recordOf({ ...invitation, ...more }, { ...LEGACY, ...changes })
    await save(record)
    const { '@id': id, '@type': type, ...shown } = Object(await findPublishedInvitation(invitation['@id']))
    await remove(record)
    expect([id, type]).toEqual([invitation['@id'], 'https://didcomm.org/connections/1.0/invitation'])
    return shown
  }

  test('has the picture, and the keys of its service in base58 where its record has them', async () => {
    const [known, foreign] = ['did:key:z6MkKnown', 'did:key:z6MkForeign']
    const service = { recipientKeys: [known, foreign], serviceEndpoint: 'https://agent.example' }
    const keys = [{ recipientKeyFingerprint: 'z6MkKnown', kmsKeyId: 'base58' }]
    const more = { label: 'Acme', imageUrl: 'https://acme.example/logo.png', services: [service] }
    expect(await shownOf(more, { invitationInlineServiceKeys: keys })).toEqual({
      ...{ label: 'Acme', imageUrl: 'https://acme.example/logo.png' },
      ...{ recipientKeys: ['base58', foreign], serviceEndpoint: 'https://agent.example', routingKeys: [] },
    })
  })

  test('has the DID that it names for a service, and a label all the same', async () => {
    expect(await shownOf({ services: ['did:web:acme.example'] })).toEqual({ label: '', did: 'did:web:acme.example' })
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
