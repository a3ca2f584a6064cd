/**
 * Builds the keys of items, and those of the store's own ones; other keys are where their item is described
 * (`defineItem`). A part that starts with `@` is never a tenant's id.
 */
import { hash } from 'node:crypto'
import { AgentError } from '../errors.ts'

export interface Address {
  pk: string
  sk: string
}

/** Sort key of the only item in a partition; among others it is the last. */
export const SINGLE_SORT_KEY = '~'

export const address = (pk: string, sk = SINGLE_SORT_KEY): Address => ({ pk, sk })

/** Shortens values for keys, which have at most 2 KB: SHA-256 in base64url. A did:peer:4 is over 1 KB. */
export const digest = (value: string): string => hash('sha256', value, 'base64url')

/** The shard of an id, always the same. `shards`: at most 256. */
export const shardOf = (id: string, shards: number): number => (hash('sha256', id, 'buffer')[0] ?? 0) % shards

/** The item with the version of the table's layout. No version changes this address. */
export const layoutAddress = address('@layout', '-')

export const recordAddress = (tenant: string, type: string, id: string): Address => address(`${tenant}|${type}|${id}`)

/** The record of an item or an index entry, by its address. */
export const recordKeyOf = ({ pk, sk }: Address): { tenant: string; type: string; id: string } => {
  const [tenant, type, own] = pk.split('|')
  const id = sk === SINGLE_SORT_KEY ? own : sk.split('#')[1]
  if (!tenant || !type || !id) throw new AgentError('internal', `no record at ${pk} ${sk}`)
  return { tenant, type, id }
}

/** Partition of the index entries of a tag value. */
export const entryPartition = (tenant: string, type: string, tag: string, value: string): string =>
  `${tenant}|${type}|${tag}|${digest(value)}`

/** Entries of a partition are sorted by creation of their records, then by id. `createdAt`: ISO 8601. */
export const entryAddress = (pk: string, createdAt: unknown, id: string): Address => address(pk, `${createdAt}#${id}`)

/** Address of the record of an index entry. */
export const recordOfEntry = (entry: Address): Address => {
  const { tenant, type, id } = recordKeyOf(entry)
  return recordAddress(tenant, type, id)
}

/** The sealed data key of a scope. */
export const dataKeyAddress = (scope: string): Address => address(`${scope}|data-key`)

/**
 * The mark of an inbound message. A message that is sent again, in a new envelope, has the same sender key and `@id`.
 */
export const messageMarkAddress = (tenant: string, sender: string, messageId: string): Address =>
  address(`${tenant}|message|${digest(`${sender} ${messageId}`)}`)

/** Idempotency keys are separate for each caller. A key contains no space. */
export const idempotencyAddress = (tenant: string, subject: string, key: string): Address =>
  address(`${tenant}|idempotency|${digest(`${subject} ${key}`)}`)

/** Where an item that cannot be decoded is moved to, by its old address. */
export const corruptAddress = ({ pk, sk }: Address): Address => address(`@corrupt|${digest(`${pk} ${sk}`)}`)
