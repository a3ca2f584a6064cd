/**
 * Converts invitations of other agents, in any of their forms, to Credo's. Members that are not validated are dropped.
 */
import { JsonEncoder, JsonTransformer, verkeyToDidKey } from '@credo-ts/core'
import { DidCommInvitationType, DidCommOutOfBandInvitation } from '@credo-ts/didcomm'
import { urlFault } from '../../egress/address-guard.ts'
import { invalidField } from '../../errors.ts'
import { isObject, parseBase64 } from '../../json.ts'
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
  /** The older form in which it was received: answers to it have to use that form. */
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
      invitation: toInvitation(convert(ofRequest, message, path), path),
      origin: DidCommInvitationType.Connectionless,
    }
  const named = { ...message, '@id': message['@id'] ?? uuidOf(JSON.stringify(message)) }
  if ('services' in named) return { invitation: toInvitation(named, path) }
  return {
    invitation: toInvitation(convert(ofConnections, named, path), path),
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

type InlineService = Extract<OutOfBandMessage['services'][number], object>

const inlineService = (service: {
  serviceEndpoint: string
  recipientKeys: string[]
  routingKeys?: string[] | null | undefined
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

const toInvitation = (message: Named<OutOfBandMessage>, path: string): DidCommOutOfBandInvitation => {
  assertEndpoints(message, path)
  assertProfile(message.accept, path)
  const { '@id': id, label, imageUrl, goal, goal_code, goalCode, accept, handshake_protocols, services } = message
  const attached = (message['requests~attach'] ?? []).map((one, index) =>
    attachment(one, id, `${path}.requests~attach.${index}`),
  )
  const json = {
    ...{ '@type': TYPE, '@id': id, label, goal, goal_code: goal_code ?? goalCode, accept, handshake_protocols },
    services: services.filter(isByHttp),
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
    return invitation
  } catch {
    throw unreadable(path)
  }
}

/** Whether this agent can send by its transport. A DID's services are known when it is resolved. */
const isByHttp = (service: OutOfBandMessage['services'][number]): boolean =>
  typeof service === 'string' || /^https?:/i.test(service.serviceEndpoint)

/** Rejects queues and other transports, unless they stand beside HTTP: services are alternatives (Aries RFC 0434). */
const assertEndpoints = ({ services }: OutOfBandMessage, path: string): void => {
  const policy = { local: settings().LOCAL_STAGE }
  for (const [index, service] of services.entries()) {
    if (typeof service === 'string' || (!isByHttp(service) && services.some(isByHttp))) continue
    const fault = urlFault(service.serviceEndpoint, policy)
    if (fault !== undefined)
      throw invalidField(`${path}.services.${index}.serviceEndpoint`, `must not be used: ${fault}`)
  }
}

/** The attached message alone. It belongs to this invitation (RFC 0434) and starts its thread. */
const attachment = (
  { '@id': id, data }: NonNullable<OutOfBandMessage['requests~attach']>[number],
  invitationId: string,
  path: string,
) => {
  const message = data.base64 === undefined ? data.json : parseBase64(data.base64)
  if (!isObject(message)) throw invalidField(`${path}.data`, 'must contain a message')
  try {
    assertReadable(message)
  } catch {
    throw invalidField(`${path}.data`, 'must contain a message that this agent can read')
  }
  const thread = message['~thread']
  const parent = isObject(thread) ? thread.pthid : undefined
  if (parent !== undefined && parent !== invitationId)
    throw invalidField(`${path}.data`, 'must not contain a message of another invitation')
  return {
    '@id': id ?? 'request',
    'mime-type': 'application/json',
    data: { base64: JsonEncoder.toBase64(message) },
  }
}
