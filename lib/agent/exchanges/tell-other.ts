/** Tells the other agent what became of an exchange that went on without its message or a call. */
import type { AgentContext } from '@credo-ts/core'
import { type ErrorCode, isAgentError } from '../../errors.ts'
import { readyConnection, withSendErrors } from '../connections/index.ts'
import type { Exchange } from '../threads/index.ts'

/** Errors of sending that are the other agent's: what the record says holds all the same. */
const UNREACHABLE: ErrorCode[] = [
  'connection.no_endpoint',
  'connection.not_ready',
  'connection.queue_full',
  'resource.not_found',
]

/** Sends by `send`. Returns the code of the error if the other agent cannot be told. */
export const tellOther = async (
  agentContext: AgentContext,
  { connectionId }: Exchange,
  send: () => Promise<unknown>,
): Promise<ErrorCode | undefined> => {
  try {
    if (connectionId !== undefined) await readyConnection(agentContext, connectionId)
    await withSendErrors(send)
    return undefined
  } catch (error) {
    if (!isAgentError(error) || !UNREACHABLE.includes(error.code)) throw error
    return error.code
  }
}
