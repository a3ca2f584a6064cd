/** An invitation as its agent has given it away: what the out-of-band record holds, or the older form that was made of it (Aries RFC 0160). */
import { isObject, type JsonObject } from '../json.ts'

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
