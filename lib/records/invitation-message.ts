/** Invitations of other agents (Aries RFC 0434 and 0160): the members that are read. All others are ignored. */
import * as v from 'valibot'
import { removeNulls } from '../json.ts'
import { MAX_ROUTING_KEYS } from './did.ts'

const text = (max: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(max))

/** A message id as Credo and ACA-Py accept it (Aries RFC 0008). */
const MessageId = v.pipe(v.string(), v.regex(/^[-_./A-Za-z0-9]{8,64}$/, 'must be the id of a message'))

/** Each key becomes an index entry. */
const MAX_SERVICES = 8
const MAX_KEYS = 4
/** Attached requests are alternatives. */
const MAX_REQUESTS = 8

/** The older prefix of message types (Aries RFC 0348). */
const PREFIX = '(?:https://didcomm\\.org|did:sov:BzCbsNYhMrjHiqZDTUASHg;spec)'

const typeOf = (protocol: string, example: string) =>
  v.pipe(v.string(), v.regex(new RegExp(`^${PREFIX}/${protocol}/1\\.[0-9]{1,3}/invitation$`), `must be ${example}`))

/** An Ed25519 key. */
const DidKey = v.pipe(
  text(256),
  v.regex(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}(?:#z6Mk[1-9A-HJ-NP-Za-km-z]{44})?$/, 'must be a did:key of Ed25519'),
)
const Verkey = v.pipe(text(44), v.regex(/^[1-9A-HJ-NP-Za-km-z]{42,44}$/, 'must be an Ed25519 key in base58'))

/** A DID, or the DID URL of a service. */
const DidUrl = v.pipe(text(4096), v.regex(/^did:[a-z0-9]+:[A-Za-z0-9._:%-]+(?:#\S+)?$/, 'must be a DID'))

const boundedList = <S extends v.GenericSchema>(item: S, max: number) => v.pipe(v.array(item), v.maxLength(max))
const keyList = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.minLength(1), v.maxLength(MAX_KEYS))
const mediatorKeys = <S extends v.GenericSchema>(item: S) => v.optional(boundedList(item, MAX_ROUTING_KEYS))

/** Drops the members of a message that are null before `schema` reads it. */
const withoutNulls = <S extends v.GenericSchema>(schema: S) =>
  v.pipe(
    v.unknown(),
    v.transform((message) => {
      removeNulls(message)
      return message
    }),
    schema,
  )

/** Where keys of Ed25519 in either form receive messages. */
const ENDPOINT = {
  serviceEndpoint: text(2048),
  recipientKeys: keyList(v.union([Verkey, DidKey])),
  routingKeys: mediatorKeys(v.union([Verkey, DidKey])),
}

const InlineService = v.object({
  id: v.optional(text(4096), '#inline'),
  type: v.optional(text(256), 'did-communication'),
  serviceEndpoint: text(2048),
  recipientKeys: keyList(DidKey),
  routingKeys: mediatorKeys(DidKey),
  accept: v.optional(boundedList(text(64), 16)),
})

const Service = v.union([DidUrl, InlineService])

/** Services are alternatives: what is not readable beside a readable one, such as one of DIDComm v2, is undefined. */
const Services = v.pipe(
  v.array(v.unknown()),
  v.maxLength(MAX_SERVICES),
  v.transform((services) => {
    const readable = services.map((service) => (v.is(Service, service) ? service : undefined))
    return readable.some((service) => service !== undefined) ? readable : services
  }),
  v.array(v.optional(Service)),
  v.minLength(1),
  v.maxLength(MAX_SERVICES),
)

/** A message in base64 or as JSON (Aries RFC 0017). */
const Attachment = v.object({
  '@id': v.optional(text(256)),
  'mime-type': v.optional(text(256)),
  data: v.object({ base64: v.optional(v.string()), json: v.optional(v.unknown()) }),
})

const SHOWN = {
  /**
   * RFC 0434 requires it; clients of credo-controller may leave it out, and get one in its place
   * (lib/agent/invitations/read-invitation.ts).
   */
  '@id': v.optional(MessageId),
  label: v.optional(v.pipe(v.string(), v.maxLength(1000))),
  imageUrl: v.optional(v.pipe(v.string(), v.maxLength(100_000))),
}

export const OutOfBandMessage = v.object({
  '@type': typeOf('out-of-band', 'https://didcomm.org/out-of-band/1.1/invitation'),
  ...SHOWN,
  goal: v.optional(v.pipe(v.string(), v.maxLength(2000))),
  goal_code: v.optional(v.pipe(v.string(), v.maxLength(255))),
  /** Spelling of credo-controller's clients. */
  goalCode: v.optional(v.pipe(v.string(), v.maxLength(255))),
  accept: v.optional(boundedList(text(64), 16)),
  handshake_protocols: v.optional(boundedList(text(256), 16)),
  services: Services,
  'requests~attach': v.optional(boundedList(Attachment, MAX_REQUESTS)),
})

export type OutOfBandMessage = v.InferOutput<typeof OutOfBandMessage>

/** An invitation of connections/1.0: with a DID, or with keys and an endpoint. */
const CONNECTION_TYPE = typeOf('connections', 'https://didcomm.org/connections/1.0/invitation')

export const ConnectionMessage = v.union([
  v.object({ '@type': CONNECTION_TYPE, ...SHOWN, did: DidUrl }),
  v.object({ '@type': CONNECTION_TYPE, ...SHOWN, ...ENDPOINT }),
])

export type ConnectionMessage = v.InferOutput<typeof ConnectionMessage>

/** A connectionless request without an invitation, which older agents put into `d_m` (Aries RFC 0056). */
export const ServiceMessage = withoutNulls(
  v.looseObject({
    '@type': text(256),
    '@id': MessageId,
    '~service': v.object(ENDPOINT),
  }),
)

export type ServiceMessage = v.InferOutput<typeof ServiceMessage>

export const InvitationMessage = withoutNulls(v.union([OutOfBandMessage, ConnectionMessage]))

export type InvitationMessage = v.InferOutput<typeof InvitationMessage>
