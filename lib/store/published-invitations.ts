/** The public copy of our invitations: an item that follows the out-of-band record, found by the invitation's `@id`. */

import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { defineItem, readItem } from './item.ts'
import { integer, json, optional, text } from './item-fields.ts'
import { invitationAddress } from './keys.ts'
import type { StoredRecord } from './stored-record.ts'
import { epochSeconds, type Item } from './table.ts'

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
  /** Absent after it was used or deleted. */
  invitation: optional(json(v.custom<JsonObject>(isObject))),
  /** Epoch seconds. Only of a deleted invitation. */
  expiresAt: optional(integer()),
})

type Published = Pick<StoredRecord, 'tenant' | 'type' | 'value'>

/** The invitation that a record's agent has created, and its `@id`; undefined for any other record. */
const createdInvitationOf = ({ type, value }: Published): { id: string; invitation: JsonObject } | undefined => {
  const invitation = type === 'OutOfBandRecord' ? sentInvitationOf(value) : undefined
  const id = invitation?.['@id']
  return invitation === undefined || typeof id !== 'string' ? undefined : { id, invitation }
}

/** The public copy of a record's invitation; undefined if it has none. */
export const publishedOf = (record: Published): Item | undefined => {
  const created = createdInvitationOf(record)
  if (created === undefined) return undefined
  const { id, invitation } = created
  const isOpen = record.value.state === 'await-response'
  return publishedItem.encode({ id, tenant: record.tenant, ...(isOpen && { invitation }) })
}

/** The public copy after the record was deleted. */
export const withdrawnOf = (record: Published, now = epochSeconds()): Item | undefined => {
  const created = createdInvitationOf(record)
  return created && publishedItem.encode({ id: created.id, tenant: record.tenant, expiresAt: now + REMEMBERED })
}

/** The invitation; `gone` if it was used or deleted; undefined if no agent of ours created it. */
export const findPublishedInvitation = async (id: string): Promise<JsonObject | 'gone' | undefined> => {
  const published = await readItem(publishedItem, { id })
  return published === undefined ? undefined : (published.invitation ?? 'gone')
}
