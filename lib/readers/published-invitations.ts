/**
 * Finds our invitations by their `@id` alone, for whoever was given one: by an item that points to the out-of-band
 * record (docs/adr/0030-an-invitation-page-shows-the-stored-invitation.md).
 */

import { isObject, type JsonObject } from '../json.ts'
import { defineItem, readItem } from '../store/item.ts'
import { integer, optional, text } from '../store/item-fields.ts'
import { invitationAddress, recordAddress } from '../store/keys.ts'
import { fromRecordItem, type StoredRecord } from '../store/stored-record.ts'
import { epochSeconds, getItem, type Item } from '../store/table.ts'

const RECORD_TYPE = 'OutOfBandRecord'

/** Metadata of a record whose invitation was converted to connections/1.0. */
const LEGACY = '_internal/legacyInvitation'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/**
 * A key in base58, as connections/1.0 has it. The record has both forms of the keys that were made for its invitation.
 */
const verkeyOf = (didKey: unknown, { invitationInlineServiceKeys }: JsonObject): unknown => {
  const known = listOf(invitationInlineServiceKeys)
    .filter(isObject)
    .find(({ recipientKeyFingerprint }) => `did:key:${recipientKeyFingerprint}` === didKey)
  return known?.kmsKeyId ?? didKey
}

const inConnectionsForm = (record: JsonObject, { '@id': id, label, imageUrl, services }: JsonObject): JsonObject => {
  const [service] = listOf(services)
  const { recipientKeys, serviceEndpoint, routingKeys } = isObject(service) ? service : {}
  return {
    '@type': 'https://didcomm.org/connections/1.0/invitation',
    '@id': id,
    label: label ?? '',
    ...(imageUrl !== undefined && { imageUrl }),
    ...(isObject(service)
      ? {
          recipientKeys: listOf(recipientKeys).map((key) => verkeyOf(key, record)),
          serviceEndpoint,
          routingKeys: listOf(routingKeys),
        }
      : { did: service }),
  }
}

/**
 * Whether the invitation's id is a DID: such a record stands for requests without an invitation, and other agents may
 * have the same DID.
 */
const isDid = (id: unknown): boolean => typeof id === 'string' && id.startsWith('did:')

/**
 * The invitation of an out-of-band record as it was given to others; undefined if there is none, or it is another
 * agent's.
 */
const sentInvitationOf = (record: JsonObject): JsonObject | undefined => {
  const { role, outOfBandInvitation, metadata } = record
  if (role !== 'sender' || !isObject(outOfBandInvitation) || isDid(outOfBandInvitation['@id'])) return undefined
  const legacy = isObject(metadata) ? metadata[LEGACY] : undefined
  const isOfConnections = isObject(legacy) && legacy.legacyInvitationType === 'connections/1.x'
  return isOfConnections ? inConnectionsForm(record, outOfBandInvitation) : outOfBandInvitation
}

/** Seconds for which a deleted invitation is remembered. */
const REMEMBERED = 90 * 24 * 60 * 60

const publishedItem = defineItem('invitation', invitationAddress, {
  tenant: text(),
  /** The record that has the invitation. Absent after it was deleted. */
  recordId: optional(text()),
  /** Epoch seconds. Only of a deleted invitation. */
  expiresAt: optional(integer()),
})

type Published = Pick<StoredRecord, 'tenant' | 'type' | 'id' | 'value'>

/** The invitation that a record's agent has created, and its `@id`; undefined for any other record. */
const createdInvitationOf = ({ type, value }: Published): { id: string; invitation: JsonObject } | undefined => {
  const invitation = type === RECORD_TYPE ? sentInvitationOf(value) : undefined
  const id = invitation?.['@id']
  return invitation === undefined || typeof id !== 'string' ? undefined : { id, invitation }
}

/** The pointer to a record by the `@id` of its invitation; undefined if it has none. */
export const publishedOf = (record: Published): Item | undefined => {
  const created = createdInvitationOf(record)
  return created && publishedItem.encode({ id: created.id, tenant: record.tenant, recordId: record.id })
}

/** What replaces the pointer when the record is deleted. */
export const withdrawnOf = (record: Published, now = epochSeconds()): Item | undefined => {
  const created = createdInvitationOf(record)
  return created && publishedItem.encode({ id: created.id, tenant: record.tenant, expiresAt: now + REMEMBERED })
}

/**
 * The invitation; `gone` if it was used or deleted; undefined if no agent of ours created it. A stranger sees nothing
 * else of the record.
 */
export const findPublishedInvitation = async (id: string): Promise<JsonObject | 'gone' | undefined> => {
  const published = await readItem(publishedItem, { id })
  if (published === undefined) return undefined
  const { tenant, recordId } = published
  const item = recordId === undefined ? undefined : await getItem(recordAddress(tenant, RECORD_TYPE, recordId))
  const record = item && fromRecordItem(item)
  const created = record && createdInvitationOf(record)
  return created?.id === id && record?.value.state === 'await-response' ? created.invitation : 'gone'
}
