/** Handles another agent's envelope in the running unit of work. */
import { CredoError, DidRecord } from '@credo-ts/core'
import { DidCommMessageReceiver, MessageSendingError } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { errorName, isAgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { SHOWN_RECORDS } from '../../records/shown-records.ts'
import { BASE_AGENT } from '../../records/tenant.ts'
import { currentUnit } from '../../store/transaction.ts'
import { agentContexts } from '../credo/index.ts'
import type { Envelope } from '../envelopes/index.ts'
import { ReturnRouteSession } from '../transport/index.ts'
import { unreadDocument } from '../web/index.ts'
import { respondWith } from './inbox.ts'

/**
 * Handles an envelope for a tenant's agent, within `handleOnce`. Returns the packed message for the HTTP response, or ''
 * if there is none. Throws Credo's errors for a message that it can't read or handle, and `registry.unavailable` if the
 * host of the sender's DID does not return the DID document, which has the endpoint for a reply.
 */
export const receiveEnvelope = async (tenant: string, envelope: Envelope): Promise<string> => {
  const receiver = (await agentContexts()).root.resolve(DidCommMessageReceiver)
  const session = new ReturnRouteSession()
  try {
    await receiver.receiveMessage(envelope, { session, ...(tenant !== BASE_AGENT && { contextCorrelationId: tenant }) })
  } catch (error) {
    throw error instanceof MessageSendingError ? (unreadDocument() ?? error) : error
  }
  assertRecordsMatchSchemas()
  return respondWith(session.reply === undefined ? '' : JSON.stringify(session.reply))
}

/** A record that does not match its schema would make every list with it fail. */
const assertRecordsMatchSchemas = (): void => {
  for (const record of currentUnit().writtenRecords()) {
    const kind = SHOWN_RECORDS.find(({ type }) => type === record.type)
    // DIDs of other agents are not shown.
    if (kind !== undefined && kind.type !== DidRecord.type && !v.is(kind.schema, kind.view(record)))
      throw new CredoError(`the message creates a ${record.type} that does not match its schema`)
  }
}

/** Logs rejected envelopes. */
export const logRejections = async <T>(tenant: string, receive: () => Promise<T>): Promise<T> => {
  try {
    return await receive()
  } catch (error) {
    if (isAgentError(error, 'request.malformed'))
      log('info', 'inbound message rejected', {
        event: 'inbound.refused',
        ...{ tenant, error: errorName(error.cause ?? error) },
      })
    throw error
  }
}
