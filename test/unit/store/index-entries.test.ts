/** What a record is found by, and where a query looks. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofRecords } from '../../../lib/records/kinds.ts'
import {
  allRecordsPartition,
  indexEntries,
  matches,
  partitionsOf,
  type TagQuery,
  tagPartition,
} from '../../../lib/store/index-entries.ts'
import { entryPartition, recordAddress, recordOfEntry } from '../../../lib/store/keys.ts'
import { type Tags, toRecordItem } from '../../../lib/store/stored-record.ts'
import { addressOf } from '../../../lib/store/table.ts'
import { ACME, storedRecord } from './records.ts'
import { queryOf, tagsOf } from './tag-queries.ts'

const at = (type: string, index: string, value: string) => entryPartition(ACME, type, index, value)
const partitionsWith = (type: string, tags: Tags) => [...indexEntries(storedRecord({ type, tags })).keys()]
const lookUp = (type: string, query: TagQuery) => partitionsOf(ACME, type, query).map(({ pk }) => pk)
const NOT_INDEXED = expect.objectContaining({ code: 'store.query_not_indexed' })

describe('a record', () => {
  test.each<[string, Tags, string]>([
    ['DidRecord', { did: 'd', role: 'created', method: 'peer' }, 'did=d'],
    ['DidRecord', { did: 'd', alternativeDids: ['e', 'f'] }, 'did=d, did=e, did=f'],
    ['DidRecord', { recipientKeyFingerprints: ['k', 'l'] }, 'recipientKey=k, recipientKey=l'],
    ['ConnectionRecord', {}, '*=*'],
    ['ConnectionRecord', { did: 'd', previousDids: ['c'] }, '*=*, did=d, did=c'],
    ['ConnectionRecord', { theirDid: 'd', previousTheirDids: ['c'] }, '*=*, theirDid=d, theirDid=c'],
    ['ConnectionRecord', { threadId: 't', outOfBandId: 'o' }, '*=*, threadId=t, outOfBandId=o'],
    [
      'CredentialRecord',
      { connectionId: 'c', anonCredsCredentialRevocationId: '7' },
      'revocation=c 7, *=*, connectionId=c',
    ],
    ['CredentialRecord', { anonCredsCredentialRevocationId: '7' }, '*=*'],
    ['OutOfBandRecord', { invitationId: 'i', threadId: 't', state: 's' }, '*=*, invitationId=i'],
    ['OutOfBandRecord', { invitationRequestsThreadIds: ['r'] }, '*=*, requestThreadId=r'],
    ['DidCommMessageRecord', { associatedRecordId: 'p', messageId: 'm' }, ''],
    ['BasicMessageRecord', { connectionId: 'c', role: 'sender' }, ''],
    ['ProofRecord', { threadId: 't', parentThreadId: 'p' }, '*=*, threadId=t, parentThreadId=p'],
    ['CredentialRecord', { threadId: 't', connectionId: 'c' }, '*=*, threadId=t, connectionId=c'],
    [
      'W3cCredentialRecord',
      { anonCredsCredentialDefinitionId: 'd', anonCredsSchemaId: 's', 'anonCredsAttr::age::marker': true },
      '*=*, credentialDefinitionId=d, schemaId=s',
    ],
    [
      'W3cCredentialRecord',
      {
        ...{ anonCredsCredentialDefinitionId: 'd', anonCredsUnqualifiedCredentialDefinitionId: 'e' },
        anonCredsUnqualifiedSchemaId: 's',
      },
      '*=*, credentialDefinitionId=d, credentialDefinitionId=e, schemaId=s',
    ],
    ['StorageVersionRecord', { threadId: 't' }, ''],
  ])('of type %s with %o should have the entries %s', (type, tags, entries) => {
    const named = entries === '' ? [] : entries.split(', ').map((entry) => entry.split('='))
    const expected = named.map(([index = '', value = '']) => at(type, index, value))
    expect(partitionsWith(type, tags).sort()).toEqual(expected.sort())
  })

  test('should have one entry for both forms of a did:peer:4, as its connections have', () => {
    const [short, long] = ['did:peer:4zShort', 'did:peer:4zShort:zDocument']
    const entry = [at('DidRecord', 'did', short)]
    expect(partitionsWith('DidRecord', { did: long, alternativeDids: [short] })).toEqual(entry)
    for (const did of [short, long])
      expect(lookUp('DidRecord', { $or: [{ alternativeDids: [did] }, { did }] })).toEqual(entry)
    expect(partitionsWith('ConnectionRecord', { did: long, previousDids: [short] })).toHaveLength(2)
    expect(lookUp('ConnectionRecord', { theirDid: long })).toEqual([at('ConnectionRecord', 'theirDid', short)])
  })

  test.each([
    'did:peer:2.Vz6Mk.Sz:z',
    'did:web:4z:a',
    'did:peer:4',
    'DID:peer:4zA:zB',
    ' did:peer:4zA:zB',
    'did:peer:4:zB',
  ])('should be found by %j unchanged', (did) => {
    expect(partitionsWith('DidRecord', { did })).toEqual([at('DidRecord', 'did', did)])
  })

  test('should have one entry where two of its tags have the same value under one name', () => {
    expect(partitionsWith('DidRecord', { did: 'd', alternativeDids: ['d', 'd'] })).toEqual([
      at('DidRecord', 'did', 'd'),
    ])
  })

  test('should have no entry for a tag that is not set', () => {
    expect(partitionsWith('AnonCredsSchemaRecord', { schemaId: undefined, unqualifiedSchemaId: null })).toEqual([])
    expect(partitionsWith('DidRecord', { alternativeDids: [] })).toEqual([])
  })

  test('should be copied into the entries that a list shows, and not into other ones', () => {
    const record = storedRecord({ tags: { did: 'd', threadId: 't' } })
    const entries = indexEntries(record)
    const { version, content } = toRecordItem(record)
    expect(entries.get(at('ConnectionRecord', 'did', 'd'))).toMatchObject({ version, content })
    expect(entries.get(allRecordsPartition(ACME, 'ConnectionRecord'))).toMatchObject({ version, content })
    const bare = entries.get(at('ConnectionRecord', 'threadId', 't'))
    expect(Object.keys(bare ?? {}).sort()).toEqual(['kind', 'pk', 'sk'])
  })

  test('should be found back from each of its entries', () => {
    const record = storedRecord({ id: 'a.b_c:d-e', tags: { did: 'd', threadId: 't' } })
    for (const entry of indexEntries(record).values())
      expect(recordOfEntry(addressOf(entry))).toEqual(recordAddress(ACME, record.type, record.id))
    expect(() => recordOfEntry({ pk: 'acme', sk: '~' })).toThrow('no record')
  })

  test('should have keys within the limits of DynamoDB, however long its tags', () => {
    const long = `did:peer:4${'z'.repeat(5_000)}`
    const record = storedRecord({ tenant: 't'.repeat(64), id: 'i'.repeat(64), tags: { did: long, theirDid: long } })
    for (const { pk, sk } of indexEntries(record).values()) {
      expect(Buffer.byteLength(pk?.S ?? '')).toBeLessThanOrEqual(2_048)
      expect(Buffer.byteLength(sk?.S ?? '')).toBeLessThanOrEqual(1_024)
    }
  })
})

describe('a query', () => {
  const did = (value: string) => at('DidRecord', 'did', value)
  const key = (value: string) => at('DidRecord', 'recipientKey', value)

  test.each<[TagQuery, string[]]>([
    [{ did: 'd' }, [did('d')]],
    [{ role: 'created', did: 'd' }, [did('d')]],
    [{ recipientKeyFingerprints: ['k', 'l'], role: 'created' }, [key('k')]],
    [{ alternativeDids: ['d'] }, [did('d')]],
    [{ did: null, alternativeDids: ['e'] }, [did('e')]],
    [{ did: undefined, alternativeDids: ['e'] }, [did('e')]],
    [{ $or: [{ did: 'd' }, { alternativeDids: ['d'] }] }, [did('d')]],
    [{ $or: [{ did: 'd' }, { did: 'e' }] }, [did('d'), did('e')]],
    [{ $or: [{ did: 'd' }, { recipientKeyFingerprints: ['k'] }], role: 'created' }, [did('d'), key('k')]],
    [{ $and: [{ role: 'created' }, { did: 'd' }] }, [did('d')]],
    [{ $and: [{ $or: [{ did: 'd' }, { did: 'e' }] }] }, [did('d'), did('e')]],
    [{ did: 'd', $not: { did: 'e' } }, [did('d')]],
    [{ did: 'd', $or: [{ role: 'created' }, { role: 'received' }] }, [did('d')]],
  ])('%o should look where all that it can match is', (query, partitions) => {
    expect(lookUp('DidRecord', query)).toEqual(partitions)
  })

  test.each(['CredentialRecord', 'ProofRecord', 'QuestionAnswerRecord'])(
    'for one %s of a connection should not look through all of the connection, whatever it names first',
    (type) => {
      const thread = [at(type, 'threadId', 't')]
      expect(lookUp(type, { connectionId: 'c', threadId: 't' })).toEqual(thread)
      expect(lookUp(type, { threadId: 't', connectionId: 'c' })).toEqual(thread)
      expect(lookUp(type, { connectionId: 'c', threadId: undefined })).toEqual([at(type, 'connectionId', 'c')])
    },
  )

  test.each<TagQuery>([
    {},
    { role: 'created' },
    { did: null },
    { did: undefined },
    { alternativeDids: [] },
    { $not: { did: 'd' } },
    { $or: [{ did: 'd' }, { role: 'created' }] },
    { $or: [{ did: 'd' }, { $not: { did: 'e' } }] },
    { $and: [{ role: 'created' }, { method: 'peer' }] },
    { $or: [] },
  ])('%o should be rejected if it would need a scan', (query) => {
    expect(() => lookUp('DidRecord', query)).toThrow(NOT_INDEXED)
  })

  test('should name what is missing, and no value', () => {
    expect(() => lookUp('DidRecord', { role: 'secret' })).toThrow('no index of DidRecord answers a query by role')
    expect(() => lookUp('UnknownRecord', {})).toThrow('by nothing')
    expect(() => tagPartition(ACME, proofRecords, 'state', 'secret')).toThrow(NOT_INDEXED)
  })

  test.each<TagQuery>([{}, { state: 'completed' }, { $or: [{ did: 'd' }, { state: 'x' }] }, { $not: { did: 'd' } }])(
    '%o should look through the list of all where the type has one',
    (query) => {
      expect(lookUp('ConnectionRecord', query)).toEqual([allRecordsPartition(ACME, 'ConnectionRecord')])
    },
  )

  test('should read only the newest where third parties decide how many there are', () => {
    const query = { $or: [{ did: 'd' }, { previousDids: ['d'] }] }
    expect(partitionsOf(ACME, 'ConnectionRecord', query)).toEqual([
      { pk: at('ConnectionRecord', 'did', 'd'), newest: 100 },
    ])
  })

  test('should find a boolean by itself', () => {
    const [type, query] = ['AnonCredsLinkSecretRecord', { isDefault: true }]
    expect(lookUp(type, query)).toEqual(partitionsWith(type, query))
  })
})

describe('a query for held credentials, as a proof request makes it,', () => {
  const type = 'W3cCredentialRecord'
  const marker = { 'anonCredsAttr::age::marker': true }
  const definition = (value: string) => at(type, 'credentialDefinitionId', value)

  test.each<[string, TagQuery, string[]]>([
    ['a definition', { anonCredsCredentialDefinitionId: 'd' }, [definition('d')]],
    ['an unqualified definition', { anonCredsUnqualifiedCredentialDefinitionId: 'd' }, [definition('d')]],
    ['a schema', { anonCredsSchemaId: 's', issuerId: 'i' }, [at(type, 'schemaId', 's')]],
    [
      'one of several definitions',
      { $or: [{ anonCredsCredentialDefinitionId: 'd' }, { anonCredsCredentialDefinitionId: 'e' }] },
      [definition('d'), definition('e')],
    ],
  ])('should look among those of %s', (_, restriction, partitions) => {
    expect(lookUp(type, { $and: [marker, restriction] })).toEqual(partitions)
  })

  test.each<[string, TagQuery]>([
    ['no restriction', {}],
    ['an issuer', { issuerId: 'i' }],
    ['one of very many definitions', { $or: Array.from({ length: 21 }, (_, n) => ({ anonCredsSchemaId: `${n}` })) }],
  ])('should look among the newest of all with %s', (_, restriction) => {
    const query = { $and: [marker, restriction] }
    expect(partitionsOf(ACME, type, query)).toEqual([{ pk: allRecordsPartition(ACME, type), newest: 500 }])
  })
})

test('should look among those of very many values where there is no list of all records', () => {
  const $or = Array.from({ length: 21 }, (_, number) => ({ did: `did:key:${number}` }))
  expect(lookUp('DidRecord', { $or })).toEqual($or.map(({ did }) => at('DidRecord', 'did', did)))
})

test('should look where every record that matches has an entry, whatever the query', () => {
  const names = ['did', 'alternativeDids', 'recipientKeyFingerprints', 'role']
  let looked = 0
  const partitions = (query: TagQuery): string[] | undefined => {
    try {
      return lookUp('DidRecord', query)
    } catch {
      return undefined
    }
  }
  fc.assert(
    fc.property(fc.array(tagsOf(names), { minLength: 10, maxLength: 20 }), queryOf(names), (records, query) => {
      const where = partitions(query)
      if (where === undefined) return
      const matching = records.filter((tags) => matches(tags, query))
      for (const tags of matching)
        expect(partitionsWith('DidRecord', tags).some((partition) => where.includes(partition))).toBe(true)
      looked += matching.length
    }),
    { numRuns: 200 },
  )
  expect(looked).toBeGreaterThan(20)
})
