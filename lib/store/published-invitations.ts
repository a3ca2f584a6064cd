/** What strangers may see of our invitations: an item that follows the out-of-band record, and that a page finds by the invitation's `@id`. */
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { givenInvitation } from '../records/given-invitation.ts'
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
