/** Handles another agent's envelope in one transaction. */
import { DidCommMessageReceiver } from '@credo-ts/didcomm'
import { errorName, isAgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { BASE_AGENT } from '../../records/tenant.ts'
import { agentContexts } from '../credo/index.ts'
import type { Envelope } from '../envelopes/index.ts'
import { ReturnRouteSession } from '../transport/index.ts'
import { handleOnce } from './inbox.ts'

/**
 * Handles an envelope for a tenant's agent. Returns the packed message for the HTTP response, or '' if there is none. A
 * message that was handled before gets the same answer again. Throws `request.malformed` if this agent can't read or
 * handle it.
 */
export const receiveEnvelope = async (tenant: string, envelope: Envelope): Promise<string> => {
  const receiver = (await agentContexts()).root.resolve(DidCommMessageReceiver)
  return handleOnce(tenant, async () => {
    const session = new ReturnRouteSession()
    await receiver.receiveMessage(envelope, {
      session,
      ...(tenant !== BASE_AGENT && { contextCorrelationId: tenant }),
    })
    return session.answer === undefined ? '' : JSON.stringify(session.answer)
  })
}

/** Logs rejected envelopes. */
export const logRejections = async <T>(tenant: string, receive: () => Promise<T>): Promise<T> => {
  try {
    return await receive()
  } catch (error) {
    if (isAgentError(error, 'request.malformed'))
      log('info', 'an inbound message was refused', {
        event: 'inbound.refused',
        ...{ tenant, error: errorName(error.cause ?? error) },
      })
    throw error
  }
}
