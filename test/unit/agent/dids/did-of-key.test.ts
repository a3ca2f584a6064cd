/** DIDs of ours that have a key made for them alone: the key's item names them, and they have no record in the table. */

import { generateKeyPairSync } from 'node:crypto'
import {
  type AgentContext,
  createPeerDidDocumentFromServices,
  DidDocumentRole,
  DidRecord,
  DidRepository,
  didDocumentToNumAlgo2Did,
  didDocumentToNumAlgo4Did,
  getAlternativeDidsForPeerDid,
  Kms,
  PeerDidResolver,
} from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { peerDidOf } from '../../../../lib/agent/dids/did-of-key.ts'
import { DidRecordCache } from '../../../../lib/agent/dids/did-record-cache.ts'
import { AgentDidRepository } from '../../../../lib/agent/dids/did-repository.ts'
import { freshPeerDid, freshServiceOf } from '../../../../lib/agent/dids/dids.ts'
import { type Ed25519Key, keyOfVerkey, verkeyOf } from '../../../../lib/agent/keys/ed25519-key.ts'
import { SealedKeyStore } from '../../../../lib/agent/keys/sealed-key-store.ts'
import { keyAddress } from '../../../../lib/keys/key-item.ts'
import { shortForm } from '../../../../lib/records/did-forms.ts'
import { settings } from '../../../../lib/settings.ts'
import { dynamodb } from '../../../../lib/store/client.ts'
import { currentUnit, transaction } from '../../../../lib/store/transaction.ts'
import { itemsOf } from '../../../support/table/items.ts'
import { unknownKid } from '../../../support/wallets/hand-made-envelope.ts'
import { newRecord } from '../../store/records.ts'
import { useTable } from '../../store/use-table.ts'
import { contextOf, repositoryServices, storage } from '../credo-storage.ts'

const table = await useTable({ memory: true })
const services = repositoryServices()

/** A repository with the keys of its process, as another process has it: with nothing in memory. */
const newProcess = (keys = new SealedKeyStore()) => ({
  keys,
  dids: new AgentDidRepository(services, new DidRecordCache(), keys),
})

const agent = (tenant: string): AgentContext => {
  const context = contextOf(tenant)
  context.dependencyManager.registerInstance(DidRepository, newProcess().dids)
  return context
}
const [acme, other] = [agent('acme'), agent('other')]
const run = <T>(act: () => Promise<T>): Promise<T> => transaction('acme', act)

const newKey = (): Ed25519Key => keyOfVerkey(unknownKid())
const insert = (keys: SealedKeyStore, key: Ed25519Key, context = acme) => {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return keys.insert(context, verkeyOf(key), { kty: 'OKP', crv: 'Ed25519', x, d })
}

const METHODS = [2, 4] as const
type Method = (typeof METHODS)[number]

const didWith = (key: Ed25519Key, method: Method, endpoint = 'http://localhost') => {
  const service = { id: '#didcomm', serviceEndpoint: endpoint, recipientKeys: [key], routingKeys: [] }
  key.keyId = verkeyOf(key)
  const { didDocument, keys = [] } = createPeerDidDocumentFromServices([service], true)
  return {
    did: method === 2 ? didDocumentToNumAlgo2Did(didDocument) : didDocumentToNumAlgo4Did(didDocument).longFormDid,
    keys,
  }
}

/** The record that Credo's registrar makes. */
const recordOf = (key: Ed25519Key, method: Method, endpoint?: string): DidRecord => {
  const made = didWith(key, method, endpoint)
  const alternativeDids = getAlternativeDidsForPeerDid(made.did)
  const tags = { recipientKeyFingerprints: [key.fingerprint], ...(alternativeDids && { alternativeDids }) }
  return new DidRecord({ ...made, role: DidDocumentRole.Created, tags })
}

const byDid = ({ dids }: ReturnType<typeof newProcess>, did: string, context = acme) =>
  run(() => dids.getCreatedDids(context, { did }))
const byKey = ({ dids }: ReturnType<typeof newProcess>, key: Ed25519Key, context = acme) =>
  run(() => dids.findCreatedDidByRecipientKey(context, key))
const shown = (record: DidRecord | null | undefined) => {
  const { id: _, createdAt, updatedAt: __, _tags: ___, ...value } = record?.toJSON() ?? {}
  return JSON.parse(JSON.stringify({ ...value, createdAt, tags: record?.getTags() }))
}
const recordItems = () => itemsOf({ client: dynamodb(), table: settings().TABLE_NAME }, 'acme|DidRecord|')

test("a did:peer:2 of a key should be what Credo's registrar makes", () => {
  const key = newKey()
  const agreementKey = key.convertTo(Kms.X25519PublicJwk)
  const endpoint = 'https://agent.example.org/didcomm/acme'
  expect(peerDidOf(key, agreementKey, endpoint)).toBe(didWith(key, 2, endpoint).did)
})

test('the service of a new did:peer:2 should be that of its document', async () => {
  await run(async () => {
    const did = await freshPeerDid({ context: acme })
    const { didDocument } = await new PeerDidResolver().resolve(acme, did)
    const [service] = didDocument?.didCommServices ?? []
    const { recipientKeys = [], ...fresh } = freshServiceOf(did) ?? {}
    expect(recipientKeys.map(({ fingerprint }) => fingerprint)).toEqual(
      didDocument?.recipientKeys.map(({ fingerprint }) => fingerprint),
    )
    const { serviceEndpoint, routingKeys } = JSON.parse(JSON.stringify(service))
    expect(fresh).toMatchObject({ serviceEndpoint, routingKeys })
    expect(freshServiceOf('did:peer:2.other')).toBeUndefined()
  })
})

describe.each(METHODS)('a did:peer:%i of a new key', (method) => {
  test('should be the record that was stored, by its DID and by its key, and have no item', async () => {
    const [key, maker] = [newKey(), newProcess()]
    const before = await recordItems()
    const record = recordOf(key, method)
    await run(async () => {
      await insert(maker.keys, key)
      await maker.dids.save(acme, record)
      // The running unit of work sees it.
      expect(shown((await maker.dids.getCreatedDids(acme, { did: record.did }))[0])).toEqual(shown(record))
    })
    expect(await recordItems()).toEqual(before)
    const reader = newProcess()
    table.watch()
    for (let time = 0; time < 2; time++) {
      expect((await byDid(reader, record.did)).map(shown)).toEqual([shown(record)])
      expect(shown(await byKey(reader, key))).toEqual(shown(record))
    }
    expect(table.requests).toEqual(['GetItem'])
    const query = { role: DidDocumentRole.Created, $or: [{ recipientKeyFingerprints: [key.fingerprint] }] }
    expect(await run(() => reader.dids.findByQuery(acme, query))).toHaveLength(1)
    expect(await run(() => reader.dids.getCreatedDids(acme, { did: record.did, method: 'web' }))).toEqual([])
  })

  test("should be its tenant's only, also where another tenant has the same key", async () => {
    const [key, maker] = [newKey(), newProcess()]
    const record = recordOf(key, method)
    await run(async () => {
      await insert(maker.keys, key)
      await maker.dids.save(acme, record)
      expect(maker.keys.addPurpose(other, verkeyOf(key), { outOfBandId: 'x' })).toBe(false)
    })
    await transaction('other', () => insert(newProcess().keys, key, other))
    for (const process of [maker, newProcess()]) {
      expect(await byDid(process, record.did, other)).toEqual([])
      expect(await byKey(process, key, other)).toBeNull()
    }
  })

  test('should not be another one with the same key, nor be replaced by it', async () => {
    const [key, maker] = [newKey(), newProcess()]
    const [first, second] = [recordOf(key, method), recordOf(key, method, 'http://localhost/second')]
    await run(async () => {
      await insert(maker.keys, key)
      await maker.dids.save(acme, first)
      await maker.dids.save(acme, second)
    })
    const reader = newProcess()
    for (const { did } of [first, second]) expect((await byDid(reader, did)).map((one) => one.did)).toEqual([did])
    expect((await byKey(reader, key))?.did).toBe(first.did)
  })

  test('should be a record of its own where its key was there before', async () => {
    const key = newKey()
    await run(() => insert(newProcess().keys, key))
    const record = recordOf(key, method)
    await run(() => newProcess().dids.save(acme, record))
    expect((await byDid(newProcess(), record.did)).map(shown)).toEqual([shown(record)])
    expect((await byKey(newProcess(), key))?.id).toBe(record.id)
  })

  test('should not be one that another agent writes our key into', async () => {
    const [key, maker] = [newKey(), newProcess()]
    const own = recordOf(key, method)
    const theirs = recordOf(key, method, 'http://localhost/theirs')
    await run(async () => {
      await insert(maker.keys, key)
      await maker.dids.save(acme, own)
    })
    const tags = { recipientKeyFingerprints: [key.fingerprint] }
    await run(async () => {
      const { dids } = newProcess()
      await dids.storeReceivedDid(acme, { did: theirs.did, tags: {} })
      await storage.save(acme, new DidRecord({ did: `${theirs.did}x`, role: DidDocumentRole.Received, tags }))
    })
    expect(await byDid(newProcess(), theirs.did)).toEqual([])
    expect((await byKey(newProcess(), key))?.did).toBe(own.did)
  })

  test('should be deleted with its key', async () => {
    const [key, maker] = [newKey(), newProcess()]
    const record = recordOf(key, method)
    await run(async () => {
      await insert(maker.keys, key)
      await maker.dids.save(acme, record)
      expect(maker.keys.expireNew(Math.floor(Date.now() / 1000) - 1)).toEqual([verkeyOf(key)])
    })
    expect((await table.get(keyAddress('acme', verkeyOf(key))))?.purpose).toBeDefined()
    expect(await byDid(newProcess(), record.did)).toEqual([])
    expect(await byKey(newProcess(), key)).toBeNull()
  })

  test('should not be there where its unit of work fails', async () => {
    const [key, maker] = [newKey(), newProcess()]
    const record = recordOf(key, method)
    const failing = run(async () => {
      await insert(maker.keys, key)
      await maker.dids.save(acme, record)
      expect(await maker.dids.findCreatedDidByRecipientKey(acme, key)).not.toBeNull()
      throw new RangeError('the operation fails')
    })
    await expect(failing).rejects.toThrow(RangeError)
    expect(await byDid(maker, record.did)).toEqual([])
    expect(await byKey(maker, key)).toBeNull()
  })
})

test.each<[string, (record: DidRecord) => void]>([
  ['is public', (record) => record.setTag('public', true)],
  ['has metadata', (record) => record.metadata.set('some', { more: true })],
  ['names another key too', (record) => record.setTag('recipientKeyFingerprints', ['z6MkOther'])],
  ['has other names for its keys', (record) => record.keys?.pop()],
  ['has another role', (record) => Object.assign(record, { role: DidDocumentRole.Received })],
])('a DID that %s has a record', async (_, change) => {
  const [key, maker] = [newKey(), newProcess()]
  const before = await recordItems()
  const record = recordOf(key, 2)
  change(record)
  record.setTag(
    'recipientKeyFingerprints',
    record.role === DidDocumentRole.Received ? [] : record.getTag('recipientKeyFingerprints'),
  )
  await run(async () => {
    await insert(maker.keys, key)
    await maker.dids.save(acme, record)
  })
  expect((await recordItems()).length).toBeGreaterThan(before.length)
})

test.each<[string, (did: string) => object]>([
  ['has', (did) => ({ did })],
  ['had', (did) => ({ did: 'did:peer:2.another', previousDids: [did] })],
])(
  'a did:peer:4 of a new key should be found by its short form where a connection %s it, by its tenant only',
  async (_, tagsOf) => {
    const [key, maker] = [newKey(), newProcess()]
    const record = recordOf(key, 4)
    const short = shortForm(record.did)
    const connection = newRecord({ type: 'ConnectionRecord', tags: { ...tagsOf(record.did) } })
    await run(async () => {
      await insert(maker.keys, key)
      await maker.dids.save(acme, record)
    })
    const found = async (context: AgentContext) =>
      (await transaction(context.contextCorrelationId, () => newProcess().dids.findAllByDid(context, short))).map(
        ({ did }) => did,
      )
    expect(await found(acme)).toEqual([])
    await run(async () => currentUnit().insert(connection))
    expect(await found(acme)).toEqual([record.did])
    expect(await found(other)).toEqual([])
    await run(async () => currentUnit().remove(connection.tenant, connection.type, connection.id))
  },
)
