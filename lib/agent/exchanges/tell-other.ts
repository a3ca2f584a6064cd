/** Tells the other agent what became of an exchange that went on without its message or a call. */
import type { AgentContext } from '@credo-ts/core'
import { DidCommProofExchangeRecord } from '@credo-ts/didcomm'
import { type ErrorCode, isAgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { readyConnection, withSendErrors } from '../connections/index.ts'
import type { Exchange } from '../threads/index.ts'

/** Errors of sending that are the other agent's: what the record says holds all the same. */
const UNREACHABLE: ErrorCode[] = [
  'connection.no_endpoint',
  'connection.not_ready',
  'connection.queue_full',
  'resource.not_found',
]

/** Sends by `send`, and logs it if the other agent cannot be told. */
export const tellOther = async (
  agentContext: AgentContext,
  exchange: Exchange,
  send: () => Promise<unknown>,
): Promise<void> => {
  const { id, connectionId } = exchange
  try {
    if (connectionId !== undefined) await readyConnection(agentContext, connectionId)
    await withSendErrors(send)
  } catch (error) {
    if (!isAgentError(error) || !UNREACHABLE.includes(error.code)) throw error
    const isProof = exchange instanceof DidCommProofExchangeRecord
    log('info', 'the other agent was not told what became of its credential or presentation', {
      event: isProof ? 'proof.not_told' : 'credential.not_told',
      ...{ [isProof ? 'proofRecordId' : 'credentialRecordId']: id, error: error.code },
    })
  }
}
