/**
 * Finds our invitations by `@id`, for unauthenticated callers: by the pointer to the out-of-band record
 * (docs/adr/0030-an-invitation-page-shows-the-stored-invitation.md).
 */

import { isObject, type JsonObject } from '../json.ts'
import { outOfBandRecords } from '../records/kinds.ts'
import { readItem } from '../store/item.ts'
import { recordAddress } from '../store/keys.ts'
import { pointerItem } from '../store/pointers.ts'
import { fromRecordItem } from '../store/stored-record.ts'
import { getItem } from '../store/table.ts'

const { type, pointer } = outOfBandRecords
const invitationItem = pointerItem(pointer.kind)

/** Metadata of a record whose invitation was converted to connections/1.0. */
const LEGACY = '_internal/legacyInvitation'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/**
 * The base58 form of a did:key, for connections/1.0. The record has both forms of the keys created for its invitation.
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

/** The invitation of an out-of-band record in the form in which it was sent. */
const sentInvitationOf = (record: JsonObject): JsonObject | undefined => {
  const { outOfBandInvitation, metadata } = record
  if (!isObject(outOfBandInvitation)) return undefined
  const legacy = isObject(metadata) ? metadata[LEGACY] : undefined
  const isOfConnections = isObject(legacy) && legacy.legacyInvitationType === 'connections/1.x'
  return isOfConnections ? inConnectionsForm(record, outOfBandInvitation) : outOfBandInvitation
}

/**
 * The invitation; `gone` if it was used or deleted; undefined if no agent of ours created it. Nothing else of the
 * record is returned.
 */
export const findPublishedInvitation = async (id: string): Promise<JsonObject | 'gone' | undefined> => {
  const published = await readItem(invitationItem, { id })
  if (published === undefined) return undefined
  const { tenant, recordId } = published
  const item = recordId === undefined ? undefined : await getItem(recordAddress(tenant, type, recordId))
  const value = item && fromRecordItem(item).value
  const isUsable = value?.state === 'await-response' && pointer.idOf(value) === id
  return (isUsable && sentInvitationOf(value)) || 'gone'
}
