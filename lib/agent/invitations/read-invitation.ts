/**
 * Converts invitations of other agents, in any of their forms, to Credo's. Members that are not validated are dropped.
 */
import { JsonEncoder, JsonTransformer, verkeyToDidKey } from '@credo-ts/core'
import { DidCommInvitationType, DidCommOutOfBandInvitation } from '@credo-ts/didcomm'
import { invalidUrlReason } from '../../egress/address-guard.ts'
import { invalidField } from '../../errors.ts'
import { isObject, type JsonObject, parseBase64 } from '../../json.ts'
import type {
  ConnectionMessage,
  InvitationMessage,
  OutOfBandMessage,
  ServiceMessage,
} from '../../records/invitation-message.ts'
import { settings } from '../../settings.ts'
import { uuidOf } from '../../uuid.ts'
import { assertReadable } from '../envelopes/index.ts'

/** An invitation of Aries RFC 0434. */
export interface ReadInvitation {
  invitation: DidCommOutOfBandInvitation
  /** The path of each service in the message, for errors. */
  servicePaths: string[]
  /** The older form in which it was received: answers must use that form. */
  origin?: DidCommInvitationType
}

type Received = InvitationMessage | ServiceMessage
type Named<Message> = Message & { '@id': string }

/**
 * An invitation without an id gets the id of its content, so that it is not received twice. Throws `request.invalid`,
 * with `path` before the path in the invitation.
 */
export const readInvitation = (message: Received, path: string): ReadInvitation => {
  if ('~service' in message)
    return {
      ...toInvitation(convert(ofRequest, message, path), path, () => `${path}.~service`),
      origin: DidCommInvitationType.Connectionless,
    }
  const named = { ...message, '@id': message['@id'] ?? uuidOf(JSON.stringify(message)) }
  if ('services' in named) return toInvitation(named, path, (index) => `${path}.services.${index}`)
  return {
    ...toInvitation(convert(ofConnections, named, path), path, () => ('did' in named ? `${path}.did` : path)),
    origin: DidCommInvitationType.Connection,
  }
}

const unreadable = (path: string) => invalidField(path, 'must be an invitation that this agent can read')

/** Credo throws for base58 that is not a key. */
const convert = <T>(
  toNewer: (message: T) => Named<OutOfBandMessage>,
  message: T,
  path: string,
): Named<OutOfBandMessage> => {
  try {
    return toNewer(message)
  } catch {
    throw unreadable(path)
  }
}

const TYPE = 'https://didcomm.org/out-of-band/1.1/invitation'

type Service = NonNullable<OutOfBandMessage['services'][number]>
type InlineService = Extract<Service, object>
type Attached = NonNullable<OutOfBandMessage['requests~attach']>[number]

const inlineService = (service: {
  serviceEndpoint: string
  recipientKeys: string[]
  routingKeys?: string[] | undefined
}): InlineService => ({
  id: '#inline',
  type: 'did-communication',
  serviceEndpoint: service.serviceEndpoint,
  recipientKeys: service.recipientKeys.map(verkeyToDidKey),
  routingKeys: (service.routingKeys ?? []).map(verkeyToDidKey),
})

const ofConnections = ({ '@type': _, ...message }: Named<ConnectionMessage>): Named<OutOfBandMessage> => ({
  '@type': TYPE,
  '@id': message['@id'],
  label: message.label,
  imageUrl: message.imageUrl,
  handshake_protocols: ['https://didcomm.org/connections/1.0'],
  services: ['did' in message ? message.did : inlineService(message)],
})

/** The invitation gets the id of the request, so that it is not received twice. */
const ofRequest = ({ '~service': service, ...message }: ServiceMessage): Named<OutOfBandMessage> => ({
  '@type': TYPE,
  '@id': message['@id'],
  services: [inlineService(service)],
  'requests~attach': [{ data: { json: message } }],
})

/** Credo accepts only public host names. The URL is not fetched. */
const isPublicUrl = (url: string): boolean => /^https?:\/\/[^\s/?#@:]+\.[a-z]{2,}(?:[:/?#]\S*)?$/i.test(url)

/** Envelope profiles that this agent supports (Aries RFC 0044): all of DIDComm v1. */
const PROFILES = ['didcomm/aip1', 'didcomm/aip2;env=rfc19']

/** An inviter accepts only the profiles that it names (Aries RFC 0434). */
const assertProfile = (accept: string[] | undefined, path: string): void => {
  if (accept !== undefined && accept.length > 0 && !accept.some((profile) => PROFILES.includes(profile)))
    throw invalidField(`${path}.accept`, `must name a profile that this agent supports: ${PROFILES.join(', ')}`)
}

const toInvitation = (
  message: Named<OutOfBandMessage>,
  path: string,
  pathOf: (index: number) => string,
): ReadInvitation => {
  const usable = usableServices(message, pathOf)
  assertProfile(message.accept, path)
  const { '@id': id, label, imageUrl, goal, goal_code, goalCode, accept, handshake_protocols } = message
  const attached = attachments(message, `${path}.requests~attach`)
  const json = {
    ...{ '@type': TYPE, '@id': id, label, goal, goal_code: goal_code ?? goalCode, accept, handshake_protocols },
    services: usable.map(({ service }) => service),
    ...(imageUrl !== undefined && isPublicUrl(imageUrl) && { imageUrl }),
    ...(attached.length > 0 && { 'requests~attach': attached }),
  }
  try {
    assertReadable(json)
    const invitation = JsonTransformer.fromJSON(JSON.parse(JSON.stringify(json)), DidCommOutOfBandInvitation)
    // Text in the form of a key may not be one.
    for (const service of invitation.getInlineServices()) void service.resolvedDidCommService
    // Computes the DIDs from the keys: nothing can be encrypted for a key that is not a point of the curve.
    void invitation.invitationDids
    return { invitation, servicePaths: usable.map(({ path }) => path) }
  } catch {
    throw unreadable(path)
  }
}

/**
 * The services that may be usable, before DIDs are resolved. Services are alternatives (Aries RFC 0434): queues and
 * unsupported transports are left out, and rejected if there is no other service.
 */
const usableServices = ({ services }: OutOfBandMessage, pathOf: (index: number) => string) => {
  const policy = { local: settings().LOCAL_STAGE }
  const transport = policy.local ? /^https?:/i : /^https:/i
  const readable = services.flatMap((service, index) => (service ? [{ service, path: pathOf(index) }] : []))
  const sendable = readable.filter(({ service }) => isDid(service) || transport.test(service.serviceEndpoint))
  for (const { service, path } of sendable.length > 0 ? sendable : readable) {
    const invalidReason = isDid(service) ? undefined : invalidUrlReason(service.serviceEndpoint, policy)
    if (invalidReason !== undefined) throw invalidField(`${path}.serviceEndpoint`, `must not be used: ${invalidReason}`)
  }
  return sendable
}

/** A DID's services are known when it is resolved. */
const isDid = (service: Service): service is string => typeof service === 'string'

/** Attached requests are alternatives: unreadable ones are left out. Throws if all are unreadable. */
const attachments = ({ '@id': id, 'requests~attach': attached = [] }: Named<OutOfBandMessage>, path: string) => {
  const readable = attached.flatMap((one, index) => {
    const message = messageIn(one)
    return message === undefined ? [] : [{ id: one['@id'], message, path: `${path}.${index}.data` }]
  })
  if (readable.length === 0 && attached.length > 0)
    throw invalidField(`${path}.0.data`, 'must contain a message that this agent can read')
  return readable.map((one) => attachment(one, id))
}

const messageIn = ({ data }: Attached): JsonObject | undefined => {
  const message = data.base64 === undefined ? data.json : parseBase64(data.base64)
  try {
    assertReadable(message)
    return message
  } catch {
    return undefined
  }
}

/** The attached message alone. It belongs to this invitation (RFC 0434) and starts its thread. */
const attachment = (
  { id, message, path }: { id: string | undefined; message: JsonObject; path: string },
  invitationId: string,
) => {
  const thread = message['~thread']
  const parent = isObject(thread) ? thread.pthid : undefined
  if (parent !== undefined && parent !== invitationId)
    throw invalidField(path, 'must not contain a message of another invitation')
  return {
    '@id': id ?? 'request',
    'mime-type': 'application/json',
    data: { base64: JsonEncoder.toBase64(message) },
  }
}
