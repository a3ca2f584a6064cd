/** Notifies the other agent of the result of an exchange that a job has continued. */
import type { AgentContext } from '@credo-ts/core'
import { DidCommProofExchangeRecord } from '@credo-ts/didcomm'
import { type ErrorCode, isAgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { readyConnection, withSendErrors } from '../connections/index.ts'
import type { Exchange } from '../threads/index.ts'

/** Send errors that the other agent causes: the change of the record is committed anyway. */
const UNREACHABLE: ErrorCode[] = [
  'connection.no_endpoint',
  'connection.not_ready',
  'connection.queue_full',
  'resource.not_found',
]

/** Sends with `send`. Logs if the other agent is unreachable. */
export const notifyOtherAgent = async (
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
    log('info', 'other agent not notified of the result of its credential or presentation', {
      event: isProof ? 'proof.not_told' : 'credential.not_told',
      ...{ [isProof ? 'proofRecordId' : 'credentialRecordId']: id, error: error.code },
    })
  }
}
