/**
 * Accepts invitations: by a handshake, by reuse of a connection with the inviter's DID, or by a connectionless answer.
 */
import {
  type DidCommConnectionRecord,
  DidCommHandshakeProtocol,
  type DidCommOutOfBandInvitation,
  type DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandService,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'
import type * as v from 'valibot'
import { invalidField, isAgentError } from '../../errors.ts'
import type { AcceptInvitation, ReceiveImplicitInvitation } from '../../interface/out-of-band.ts'
import { defined } from '../../json.ts'
import { sendOn, withSendErrors } from '../connections/index.ts'
import type { TenantAgent } from '../credo/index.ts'
import { assertReachableDid } from '../dids/index.ts'
import { handleAttachedRequest, requestOf } from './attached-requests.ts'
import { labelAndImage } from './inviter.ts'

export type Acceptance = Omit<v.InferOutput<typeof ReceiveImplicitInvitation.body>, 'did'> &
  Partial<v.InferOutput<typeof AcceptInvitation.body>>

const HANDSHAKES: Record<string, DidCommHandshakeProtocol> = {
  didexchange: DidCommHandshakeProtocol.DidExchange,
  connections: DidCommHandshakeProtocol.Connections,
}

/** The handshake to begin: did-exchange, if it is offered; undefined if no offered protocol is supported. */
export const handshakeOf = ({ handshakeProtocols = [] }: DidCommOutOfBandInvitation) => {
  const offered = handshakeProtocols.map((uri) => uri.match(/^https:\/\/didcomm\.org\/(\w+)\/1\.\d+$/)?.[1] ?? '')
  const chosen = Object.keys(HANDSHAKES).find((name) => offered.includes(name))
  return chosen === undefined ? undefined : HANDSHAKES[chosen]
}

/**
 * Accepts a stored invitation in the running unit of work. Returns the connection: a new one that has started its
 * handshake, or an existing one. `path` is the request's field of the invitation, for errors. Throws `request.invalid`,
 * `connection.no_endpoint`.
 */
export const accept = async (
  agent: TenantAgent,
  record: DidCommOutOfBandRecord,
  acceptance: Acceptance,
  path: string,
): Promise<DidCommConnectionRecord | undefined> => {
  const { context } = agent
  const { outOfBandInvitation } = record
  const { alias, autoAcceptConnection, reuseConnection } = acceptance
  const reusedConnection = reuseConnection ? await existingConnection(agent, outOfBandInvitation) : undefined
  delete record.reuseConnectionId
  Object.assign(record, {
    autoAcceptConnection,
    state: DidCommOutOfBandState.PrepareResponse,
    ...defined({ alias, reuseConnectionId: reusedConnection?.id }),
  })
  await context.resolve(DidCommOutOfBandRepository).update(context, record)
  const protocol = handshakeOf(outOfBandInvitation)
  if (reusedConnection === undefined && protocol !== undefined)
    return startHandshake(agent, record, protocol, acceptance)
  if (requestOf(context, outOfBandInvitation) === undefined && reusedConnection !== undefined)
    await requestReuse(agent, record, reusedConnection)
  else
    await handleAttachedRequest(context, record, reusedConnection).catch((error) => {
      if (isAgentError(error)) throw error
      throw invalidField(path, 'has a request that this agent cannot handle')
    })
  return reusedConnection
}

/** The newest connection that was made from an invitation by the same DID and that neither side has ended. */
const existingConnection = async (
  { didcomm }: TenantAgent,
  { invitationDids }: DidCommOutOfBandInvitation,
): Promise<DidCommConnectionRecord | undefined> => {
  for (const did of invitationDids) {
    const connections = await didcomm.connections.findByInvitationDid(did)
    const usable = connections.findLast(({ isReady }) => isReady)
    if (usable !== undefined) return usable
  }
  return undefined
}

const startHandshake = async (
  agent: TenantAgent,
  record: DidCommOutOfBandRecord,
  protocol: DidCommHandshakeProtocol,
  { autoAcceptConnection, ourDid, ...invitee }: Acceptance,
): Promise<DidCommConnectionRecord> => {
  if (ourDid !== undefined) {
    if (protocol === DidCommHandshakeProtocol.Connections)
      throw invalidField('ourDid', 'must be absent: the invitation offers the connections protocol only')
    await assertReachableDid(agent, ourDid, 'ourDid')
  }
  const shown = await labelAndImage(invitee)
  return withSendErrors(() =>
    agent.didcomm.connections.acceptOutOfBandInvitation(record, {
      protocol,
      ...shown,
      autoAcceptConnection,
      ...defined({ alias: record.alias, ourDid }),
    }),
  )
}

/** Credo would wait for the answer. Here `handshake-reuse-accepted` completes the invitation when it arrives. */
const requestReuse = async (
  { context }: TenantAgent,
  record: DidCommOutOfBandRecord,
  connection: DidCommConnectionRecord,
): Promise<void> => {
  const message = await context.resolve(DidCommOutOfBandService).createHandShakeReuse(context, record, connection)
  await sendOn(context, connection, message)
}
