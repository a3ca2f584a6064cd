/** The newest version that was seen of a DID, also with concurrent readers. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { transaction } from '../../../lib/store/transaction.ts'
import { assertNoRollback, expireVersions, removeExpiry, seenItem } from '../../../lib/webvh/seen-versions.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ check: false, stream: false })

const DID = 'did:webvh:scid:issuer.example'

test('an older version that is seen while a newer one is stored does not take its place', async () => {
  const see = (versions: string[], meanwhile: () => Promise<unknown> = async () => undefined) =>
    transaction('acme', async (unit) => {
      await assertNoRollback(unit, DID, versions)
      await meanwhile()
    })
  await see(['1-a'])
  const newer = ['1-a', '2-b', '3-c']
  const older = see(['1-a', '2-b'], () => see(newer))
  await expect(older).rejects.toMatchObject({ code: 'request.invalid' })
  await see(newer)
})

test.each([
  ['fewer', ['1-a']],
  ['none', []],
  ['another in the place of the last one', ['1-a', '2-x']],
  ['one more before the last one', ['1-a', '1-x', '2-b']],
])('versions do not go on from those last seen: %s', async (subject, versions) => {
  const see = (seen: string[]) => transaction('acme', (unit) => assertNoRollback(unit, subject, seen))
  await see(['1-a', '2-b'])
  await expect(see(versions)).rejects.toMatchObject({ code: 'request.invalid' })
  await see(['1-a', '2-b', '3-c'])
})

test('what a handshake has seen expires, renewed once a day, and what is stored without an expiry does not', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const expiryAfter = async (did: string, isHandshake: boolean): Promise<number> => {
    await transaction('acme', async (unit) => {
      if (isHandshake) expireVersions(unit)
      await assertNoRollback(unit, did, ['1-a'])
    })
    return Number((await table.get(seenItem.addressOf({ tenant: 'acme', subject: did })))?.expiresAt?.N)
  }
  const [known, stranger] = ['did:webvh:scid:known.example', 'did:webvh:scid:stranger.example']
  expect(await expiryAfter(known, false)).toBeNaN()
  expect(await expiryAfter(known, true)).toBeNaN()
  const first = await expiryAfter(stranger, true)
  vi.setSystemTime(Date.now() + 60 * 60_000)
  expect(await expiryAfter(stranger, true)).toBe(first)
  vi.setSystemTime(Date.now() + 25 * 60 * 60_000)
  expect(await expiryAfter(stranger, true)).toBe(first + 26 * 60 * 60)
  expect(await expiryAfter(stranger, false)).toBeNaN()
  const completed = 'did:webvh:scid:completed.example'
  expect(await expiryAfter(completed, true)).not.toBeNaN()
  await transaction('acme', (unit) => removeExpiry(unit, completed))
  expect(await expiryAfter(completed, true)).toBeNaN()
  table.watch()
  await transaction('acme', (unit) => removeExpiry(unit, completed))
  expect(table.requests).toEqual(['GetItem'])
  const unseen = 'did:webvh:scid:unseen.example'
  await transaction('acme', (unit) => removeExpiry(unit, unseen))
  expect(await table.get(seenItem.addressOf({ tenant: 'acme', subject: unseen }))).toBeUndefined()
})
