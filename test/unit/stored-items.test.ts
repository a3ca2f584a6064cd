/** All stored items, by their descriptions (`defineItem`): addresses, names of permissions, indexes. */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { KEYS } from '../../infra/access/keys.ts'
import { isLike } from '../../infra/roles/policy.ts'
import { eventLane, messageLane } from '../../lib/outbox/wake-ups/keys.ts'
import { RECORDS } from '../../lib/records/kinds.ts'
import { type Address, corruptAddress, layoutAddress, messageMarkAddress, recordAddress } from '../../lib/store/keys.ts'

const described = vi.hoisted((): { kind: string; belongsTo: unknown; addressOf(key: object): Address }[] => [])

vi.mock('../../lib/store/item.ts', async (original) => {
  const item = await original<typeof import('../../lib/store/item.ts')>()
  const defineItem: typeof item.defineItem = (kind, address, fields, belongsTo) => {
    const definition = item.defineItem(kind, address, fields, belongsTo)
    described.push({ kind, belongsTo, addressOf: (key) => definition.addressOf(key as Parameters<typeof address>[0]) })
    return definition
  }
  return { ...item, defineItem }
})

for (const file of globSync('lib/**/*.ts'))
  if (/= (?:defineItem|pointerItem)\(/.test(readFileSync(file, 'utf8'))) await import(resolve(file))

const NUMBERS = ['number', 'index', 'piece', 'attempt', 'part', 'window', 'slot']
const NAMES = [
  ...['id', 'name', 'subject', 'scope', 'digest', 'keyId', 'publicId', 'sessionId', 'nonce', 'issuerId', 'place'],
  ...['listId', 'jwksUri', 'orgId', 'kind', 'position', 'recordId', 'endpointId', 'occurredAt', 'startedAt'],
  ...['eventId', 'sequence', 'hash', 'credentialDefinitionId', 'registryId', 'schemaId', 'tag', 'type', 'of', 'key'],
  ...['destination', 'connectionId', 'sender', 'messageId'],
]

/** A key that has all parts of all keys. */
const keyOf = (tenant: string, name: string, lane: string) => ({
  ...Object.fromEntries([...NAMES.map((part) => [part, name]), ...NUMBERS.map((part) => [part, 1])]),
  tenant,
  lane,
  scope: tenant,
  entry: `1|${name}`,
  markPk: messageMarkAddress(tenant, name, name).pk,
})

/** Where items lie that are described by their whole address. */
const PLACES: Record<string, (tenant: string, name: string) => Address> = {
  record: (tenant, name) => recordAddress(tenant, 'ProofRecord', name),
  entry: (tenant, name) => ({ pk: `${tenant}|ProofRecord|threadId|${name}`, sk: name }),
  'deleted-record': (tenant, name) => ({ ...recordAddress(tenant, 'ProofRecord', name), sk: 'deleted' }),
  mark: (tenant, name) => messageMarkAddress(tenant, name, name),
  registration: (_, name) => ({ pk: `@org|${name}`, sk: 'webhook' }),
}

/** Addresses of one tenant by the kind of their items. */
const placesOf = (tenant: string, name: string): Map<string, Address> =>
  new Map(
    described.map(({ kind, addressOf }) => [
      kind,
      PLACES[kind]?.(tenant, name) ?? addressOf(keyOf(tenant, name, messageLane(tenant, name))),
    ]),
  )

const ANY = placesOf('acme', 'some')

test('all descriptions are known here, and none has a key of which nothing is known', () => {
  expect(ANY.size).toBeGreaterThan(45)
  for (const { pk, sk } of ANY.values()) expect(`${pk} ${sk}`).not.toMatch(/undefined|NaN/)
})

test('each item has a name for permissions, and each such name has an item', () => {
  const partitions = [
    ...[...ANY.values()].map(({ pk }) => pk),
    ...RECORDS.map(({ type }) => recordAddress('acme', type, 'some').pk),
    ...[layoutAddress.pk, corruptAddress({ pk: 'a', sk: 'b' }).pk, `${eventLane('o', 'e', 'r')}|lane`],
  ]
  const patterns = Object.values(KEYS).flat()
  expect(partitions.filter((pk) => !isLike(pk, patterns))).toEqual([])
  expect(patterns.filter((pattern) => !partitions.some((pk) => isLike(pk, [pattern])))).toEqual([])
})

test('the way to each is known, for the removal of a tenant', () => {
  const decision = readFileSync('docs/adr/0036-copies-or-pointers.md', 'utf8')
  const [, section = ''] = decision.split('## What a tenant has, and the way to it')
  const named = [...section.matchAll(/`([a-z\d-]+)`/g)].map(([, kind]) => kind)
  const kinds = [...new Set([...ANY.keys(), 'layout', 'corrupt-item'])]
  expect(named.toSorted()).toEqual(kinds.toSorted())
})

test('the removal of a tenant knows all items that belong to something', async () => {
  const { OWNED_ITEMS } = await import('../../lib/removal/owned-items.ts')
  const own = described.filter(({ belongsTo }) => typeof belongsTo === 'object').map(({ kind }) => kind)
  expect(
    OWNED_ITEMS.map(({ kind }) => kind)
      .filter((kind) => kind !== 'registration')
      .toSorted(),
  ).toEqual(own.toSorted())
})

const id = fc.stringMatching(/^[A-Za-z0-9._:-]{1,64}$/)
const tenant = fc.oneof(id, fc.constant('@base'))
/** The mark of a removed tenant is in place of the tenant. */
const MARKS = 1

const textsOf = (of: string, name: string) => [...placesOf(of, name).values()].map(({ pk, sk }) => `${pk} ${sk}`)

test('an address is of one thing only, whatever tenants and ids are called', () => {
  fc.assert(fc.property(tenant, id, (of, name) => new Set(textsOf(of, name)).size === ANY.size - MARKS))
})

test('an address is of one tenant only, but for what belongs to no tenant', () => {
  const shared = [...ANY].filter(([, { pk }]) => pk.startsWith('@')).map(([kind]) => kind)
  const own = (of: string, name: string) =>
    [...placesOf(of, name)].filter(([kind]) => !shared.includes(kind)).map(([, { pk, sk }]) => `${pk} ${sk}`)
  fc.assert(
    fc.property(tenant, tenant, id, id, (one, other, name, otherName) => {
      fc.pre(one !== other)
      const theirs = new Set(own(other, otherName))
      for (const place of own(one, name)) {
        expect(place.startsWith(`${one}|`)).toBe(true)
        expect(theirs.has(place)).toBe(false)
      }
    }),
  )
  expect(shared).toContain('destination')
  expect(shared).not.toContain('job')
})
