/** The agent's inbound door: one envelope of another agent, handled as one transaction. */
import { DidCommMessageReceiver } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { log } from '../log.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { transaction } from '../store/transaction.ts'
import { agentContexts } from './agent.ts'
import { InboundMarks } from './inbound-marks.ts'
import { ReturnRouteSession } from './return-route.ts'

/** The sender may not try again, so a conflict is worth more repetitions than in a request that its caller repeats. */
const MOST_REPETITIONS = 10

/** RFC 0019, "Envelope": what of it differs from one packing to the next. */
const Envelope = v.looseObject({ protected: v.string(), iv: v.string(), ciphertext: v.string(), tag: v.string() })

/**
 * Handles an envelope for a tenant's agent. Returns the packed message that goes back by return route, '' for none; a
 * message that was handled before gets the same answer again. Throws `request.malformed` where this agent can't read or
 * handle it.
 */
export const receiveEnvelope = async (tenant: string, body: unknown): Promise<string> => {
  const envelope = v.safeParse(Envelope, body)
  if (!envelope.success) throw new AgentError('request.malformed', 'the body is no DIDComm envelope (RFC 0019)')
  const { ciphertext, tag } = envelope.output
  const receiver = (await agentContexts()).root.resolve(DidCommMessageReceiver)
  let marks: InboundMarks | undefined
  try {
    return await transaction(
      tenant,
      async (unit) => {
        marks = new InboundMarks(unit, `${ciphertext}.${tag}`)
        const session = new ReturnRouteSession()
        await receiver.receiveMessage(envelope.output, {
          session,
          ...(tenant === BASE_AGENT ? {} : { contextCorrelationId: tenant }),
        })
        marks.answer = session.answer === undefined ? '' : JSON.stringify(session.answer)
        return marks.answer
      },
      MOST_REPETITIONS,
    )
  } catch (error) {
    if (error instanceof AgentError) throw error
    const given = await marks?.answerGiven()
    if (given !== undefined) return given
    log('info', 'an inbound message was refused', { tenant, error: error instanceof Error ? error.name : 'unknown' })
    throw new AgentError('request.malformed', 'this agent cannot handle the message', { cause: toCause(error) })
  }
}

/** The message of Credo's `DidExchangeProblemReportError` can be an Error instead of a text. */
const toCause = (error: unknown): unknown =>
  error instanceof Error && typeof error.message !== 'string'
    ? new Error(String(error.message), { cause: error.message })
    : error
