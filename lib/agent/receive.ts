/** Handles another agent's envelope in one transaction. */
import { DidCommMessageReceiver } from '@credo-ts/didcomm'
import { AgentError, errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { transaction } from '../store/transaction.ts'
import { agentContexts } from './agent.ts'
import { cannotHandle, type Envelope } from './envelope.ts'
import { InboundMarks } from './inbound-marks.ts'
import { UnreadableEnvelopeError } from './open-envelope.ts'
import { ReturnRouteSession } from './return-route.ts'

/** More than for a request of the API, because the sender of a message may never retry. */
const MAX_REPETITIONS = 10

/**
 * Handles an envelope for a tenant's agent. Returns the packed message for the HTTP response, or '' if there is none. A message that was handled
 * before gets the same answer again. Throws `request.malformed` if this agent can't read or handle it.
 */
export const receiveEnvelope = async (tenant: string, envelope: Envelope): Promise<string> => {
  // Unique for each packed message.
  const { ciphertext, tag } = envelope
  const receiver = (await agentContexts()).root.resolve(DidCommMessageReceiver)
  let marks: InboundMarks | undefined
  try {
    return await transaction(
      tenant,
      async (unit) => {
        marks = new InboundMarks(unit, `${ciphertext}.${tag}`)
        const session = new ReturnRouteSession()
        await receiver.receiveMessage(envelope, {
          session,
          ...(tenant === BASE_AGENT ? {} : { contextCorrelationId: tenant }),
        })
        marks.answer = session.answer === undefined ? '' : JSON.stringify(session.answer)
        return marks.answer
      },
      MAX_REPETITIONS,
    )
  } catch (error) {
    if (error instanceof AgentError) throw error
    const given = error instanceof UnreadableEnvelopeError ? undefined : await marks?.answerGiven()
    if (given !== undefined) return given
    throw cannotHandle(error)
  }
}

/** Logs refused envelopes. */
export const logRefusals = async <T>(tenant: string, receive: () => Promise<T>): Promise<T> => {
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
