/** What strangers may see of our invitations: an item that follows the out-of-band record, and that a page finds by the invitation's `@id`. */
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { defineItem, readItem } from './item.ts'
import { integer, json, optional, text } from './item-fields.ts'
import { invitationAddress } from './keys.ts'
import type { StoredRecord } from './stored-record.ts'
import { epochSeconds, type Item } from './table.ts'

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

/** The `@id` of an invitation that this record's agent has made; undefined for any other record. */
export const madeInvitationId = ({ type, value: { role, outOfBandInvitation } }: Published): string | undefined => {
  if (type !== 'OutOfBandRecord' || role !== 'sender' || !isObject(outOfBandInvitation)) return undefined
  const { '@id': id } = outOfBandInvitation
  return typeof id === 'string' ? id : undefined
}

/** What is shown of a record's invitation; undefined where it has none of ours. */
export const publishedOf = (record: Published): Item | undefined => {
  const id = madeInvitationId(record)
  const { tenant, value } = record
  const { state, outOfBandInvitation: invitation } = value
  if (id === undefined || !isObject(invitation)) return undefined
  return publishedItem.encode({ id, tenant, ...(state === 'await-response' && { invitation }) })
}

/** What is left of it when the record is deleted. */
export const withdrawnOf = (record: Published, now = epochSeconds()): Item | undefined => {
  const id = madeInvitationId(record)
  return id === undefined ? undefined : publishedItem.encode({ id, tenant: record.tenant, expiresAt: now + REMEMBERED })
}

/** In one read: the invitation, `gone` where it was used or deleted, and undefined where no agent of ours has made it. */
export const findPublishedInvitation = async (id: string): Promise<JsonObject | 'gone' | undefined> => {
  const published = await readItem(publishedItem, { id })
  return published === undefined ? undefined : (published.invitation ?? 'gone')
}
