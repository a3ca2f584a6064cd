/** The public copy of our invitations: an item that follows the out-of-band record, found by the invitation's `@id`. */

import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { defineItem, readItem } from './item.ts'
import { integer, json, optional, text } from './item-fields.ts'
import { invitationAddress } from './keys.ts'
import type { StoredRecord } from './stored-record.ts'
import { epochSeconds, type Item } from './table.ts'

/** In the record's metadata: which older form was made of it. */
const LEGACY = '_internal/legacyInvitation'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A key as older agents write it. The record has both names of the keys that were made for its invitation. */
const verkeyOf = (didKey: unknown, { invitationInlineServiceKeys }: JsonObject): unknown => {
  const known = listOf(invitationInlineServiceKeys)
    .filter(isObject)
    .find(({ recipientKeyFingerprint }) => `did:key:${recipientKeyFingerprint}` === didKey)
  return known?.kmsKeyId ?? didKey
}

const inOlderForm = (record: JsonObject, { '@id': id, label, imageUrl, services }: JsonObject): JsonObject => {
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

/** A DID as the id of an invitation: the record stands for requests that came without one. Other agents may have the same DID. */
const isDid = (id: unknown): boolean => typeof id === 'string' && id.startsWith('did:')

/** Of an out-of-band record's JSON; undefined where it has none that was given to anybody, or where it is somebody else's. */
export const givenInvitation = (record: JsonObject): JsonObject | undefined => {
  const { role, outOfBandInvitation, metadata } = record
  if (role !== 'sender' || !isObject(outOfBandInvitation) || isDid(outOfBandInvitation['@id'])) return undefined
  const legacy = isObject(metadata) ? metadata[LEGACY] : undefined
  const isOlder = isObject(legacy) && legacy.legacyInvitationType === 'connections/1.x'
  return isOlder ? inOlderForm(record, outOfBandInvitation) : outOfBandInvitation
}

/** How long it is known that there was an invitation, once its record is deleted, in seconds. */
const REMEMBERED = 90 * 24 * 60 * 60

const publishedItem = defineItem('invitation', invitationAddress, {
  tenant: text(),
  /** As its sender gives it away; absent once it was used or deleted. */
  invitation: optional(json(v.custom<JsonObject>(isObject))),
  /** Epoch seconds. Of a deleted one only. */
  expiresAt: optional(integer()),
})

type Published = Pick<StoredRecord, 'tenant' | 'type' | 'value'>

/** The invitation that this record's agent has made, and its `@id`; undefined for any other record. */
const madeBy = ({ type, value }: Published): { id: string; invitation: JsonObject } | undefined => {
  const invitation = type === 'OutOfBandRecord' ? givenInvitation(value) : undefined
  const id = invitation?.['@id']
  return invitation === undefined || typeof id !== 'string' ? undefined : { id, invitation }
}

/** What is shown of a record's invitation; undefined where it has none of ours. */
export const publishedOf = (record: Published): Item | undefined => {
  const made = madeBy(record)
  if (made === undefined) return undefined
  const { id, invitation } = made
  const isOpen = record.value.state === 'await-response'
  return publishedItem.encode({ id, tenant: record.tenant, ...(isOpen && { invitation }) })
}

/** What is left of it when the record is deleted. */
export const withdrawnOf = (record: Published, now = epochSeconds()): Item | undefined => {
  const made = madeBy(record)
  return made && publishedItem.encode({ id: made.id, tenant: record.tenant, expiresAt: now + REMEMBERED })
}

/** In one read: the invitation, `gone` where it was used or deleted, and undefined where no agent of ours has made it. */
export const findPublishedInvitation = async (id: string): Promise<JsonObject | 'gone' | undefined> => {
  const published = await readItem(publishedItem, { id })
  return published === undefined ? undefined : (published.invitation ?? 'gone')
}
