/** Records, outbox items and endpoints for the tests of events. */
import { type OutboxItem, outboxItem } from '../../../lib/outbox/messages/message-item.ts'
import type { StoredDelivery } from '../../../lib/records/delivery.ts'
import { deletedRecordItem } from '../../../lib/store/deleted-record.ts'
import type { StoredRecord } from '../../../lib/store/stored-record.ts'
import { toRecordItem } from '../../../lib/store/stored-record.ts'
import type { Item } from '../../../lib/store/table.ts'
import type { Listener } from '../../../lib/webhooks/events.ts'

const ROLES: Record<string, string> = {
  ConnectionRecord: 'responder',
  CredentialRecord: 'issuer',
  ProofRecord: 'verifier',
}

/** When version `version` of a record is written. */
export const writtenAt = (version: number): string => new Date(Date.UTC(2026, 0, 1) + version * 1_234).toISOString()

/** A record that fits its schema, in a state. */
export const storedIn = (
  type: string,
  state: string,
  version = 1,
  more: Record<string, unknown> = {},
): StoredRecord => {
  const shared = { state, role: ROLES[type], threadId: '6dd01c06-4e19-4e87-ba04-e9ab0dbe40ad' }
  return {
    tenant: 'acme',
    type,
    id: 'f0a7fe6c-9e0c-4b3b-a7b1-7d33a26cb6b4',
    version,
    value: {
      id: 'f0a7fe6c-9e0c-4b3b-a7b1-7d33a26cb6b4',
      createdAt: writtenAt(1),
      updatedAt: writtenAt(version),
      metadata: {},
      ...(type === 'ConnectionRecord' ? { outOfBandId: 'o1' } : { protocolVersion: 'v2', connectionId: 'c1' }),
      ...shared,
      ...more,
    },
    tags: shared,
  }
}

/** A record that has no thread and no connection. */
export const ownItem = (type: string, state: string, version: number, value: Record<string, unknown> = {}) => {
  const stored = storedIn(type, state, version)
  const { threadId: _, connectionId: __, ...own } = stored.value
  return toRecordItem({ ...stored, value: { ...own, ...value }, tags: { state } })
}

export const definitionItem = (...of: [state: string, version: number, value?: Record<string, unknown>]) =>
  ownItem('CredentialDefinitionRecord', ...of)

export const recordItem = (...of: Parameters<typeof storedIn>) => toRecordItem(storedIn(...of))

/** What remains of a deleted record. */
export const deletedItem = (type: string, state: string, version: number): Item =>
  deletedRecordItem.encode({
    ...{ tenant: 'acme', type, id: 'f0a7fe6c-9e0c-4b3b-a7b1-7d33a26cb6b4' },
    ...{ state, version, at: writtenAt(version), expiresAt: 2_000_000_000 },
  })

/** A basic message record. */
export const message = (role: 'sender' | 'receiver', content = 'hello', version = 1): StoredRecord => ({
  tenant: 'acme',
  type: 'BasicMessageRecord',
  id: 'm1',
  version,
  value: {
    id: 'm1',
    createdAt: writtenAt(1),
    updatedAt: writtenAt(version),
    metadata: {},
    sentTime: writtenAt(0),
    connectionId: 'c1',
    content,
    role,
  },
  tags: { role, connectionId: 'c1' },
})

/** A sent message as the `version`-th write leaves it, which says what has become of it. */
export const sentMessage = (version: number, delivery?: Omit<StoredDelivery, 'at'>, content = 'hello'): Item =>
  toRecordItem({
    ...message('sender', content),
    version,
    ...(delivery && { delivery: { ...delivery, at: writtenAt(version) } }),
  })

/** An outbox item. */
export const outboxWith = (changes: Partial<OutboxItem> = {}): Item =>
  outboxItem.encode({
    ...{ tenant: 'acme', connectionId: 'c1', id: 'o1', taken: 0, attempts: 0, createdAt: writtenAt(1) },
    messages: [{ endpoint: 'https://wallet.example', payload: '{}' }],
    ...changes,
  })

export const listener = (kind: Listener['kind'], status: Listener['status'] = 'active'): Listener => ({
  id: `endpoint-${kind}`,
  orgId: 'acme-org',
  kind,
  status,
})

/** The registration item of an endpoint. */
export const registrationItem = (kind: Listener['kind'], status: string, version: number, more: object = {}) => ({
  pk: { S: '@org|acme-org' },
  sk: { S: kind },
  kind: { S: 'registration' },
  id: { S: `endpoint-${kind}` },
  orgId: { S: 'acme-org' },
  url: { S: `https://${kind}.example.com/hook` },
  status: { S: status },
  secret: { B: new Uint8Array(60) },
  version: { N: String(version) },
  createdAt: { S: writtenAt(1) },
  updatedAt: { S: writtenAt(version) },
  ...more,
})
