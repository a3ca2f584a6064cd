/** Issues a requested credential later if another host is unavailable. */
import { DidCommRequestCredentialV1Message } from '@credo-ts/anoncreds'
import {
  DidCommCredentialExchangeRepository,
  DidCommCredentialState,
  type DidCommMessageHandlerMiddleware,
  DidCommRequestCredentialV2Message,
} from '@credo-ts/didcomm'
import { isAgentError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/job.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { nextAttemptDelay } from '../index.ts'
import { mayAutoRespond } from './checks.ts'

/** Stores the request, and adds a job that issues the credential: wallets do not send a request again. */
export const issueLater: DidCommMessageHandlerMiddleware = async ({ agentContext, message }, next) => {
  try {
    await next()
  } catch (error) {
    const isRequest =
      message instanceof DidCommRequestCredentialV1Message || message instanceof DidCommRequestCredentialV2Message
    if (!isRequest || !isAgentError(error, 'registry.unavailable')) throw error
    const { threadId } = message
    const exchanges = await agentContext
      .resolve(DidCommCredentialExchangeRepository)
      .findByQuery(agentContext, { threadId })
    const requested = exchanges.find(({ state }) => state === DidCommCredentialState.RequestReceived)
    if (requested === undefined || !mayAutoRespond(requested)) throw error
    const unit = currentUnit()
    enqueue(unit, { tenant: unit.tenant, type: 'issuance', id: requested.id }, nextAttemptDelay(0))
  }
}
