/** Credentials that can't be issued when they are requested, because another host does not answer. */
import { DidCommRequestCredentialV1Message } from '@credo-ts/anoncreds'
import {
  DidCommCredentialExchangeRepository,
  DidCommCredentialState,
  type DidCommMessageHandlerMiddleware,
  DidCommRequestCredentialV2Message,
} from '@credo-ts/didcomm'
import { isAgentError } from '../../../errors.ts'
import { enqueue, type JobHandler } from '../../../jobs/job.ts'
import { log } from '../../../log.ts'
import { mayPassLater } from '../../../store/faults.ts'
import { currentUnit, transaction } from '../../../store/transaction.ts'
import { nextAttempt } from '../index.ts'
import { mayAutoRespond } from './checks.ts'
import { acceptRequest } from './steps.ts'

/** Keeps the request, and adds a job that issues the credential: wallets do not send a request again. */
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
    enqueue(unit, { tenant: unit.tenant, type: 'issuance', id: requested.id }, nextAttempt(0))
  }
}

/** A call has issued the credential, or deleted the exchange. */
const OVER = ['exchange.out_of_turn', 'resource.not_found']

export const issuanceJob: JobHandler = {
  run: async ({ tenant, id, createdAt }) => {
    try {
      await transaction(tenant, () => acceptRequest({ credentialRecordId: id }))
    } catch (error) {
      if (!isAgentError(error) || mayPassLater(error)) throw error
      const later = error.code === 'registry.unavailable' ? nextAttempt(Date.now() - Date.parse(createdAt)) : undefined
      if (later !== undefined) return { later }
      if (!OVER.includes(error.code))
        log('warn', 'a credential could not be issued without a call', {
          event: 'credential.not_issued',
          ...{ tenant, credentialRecordId: id, error: error.code },
        })
    }
    return { commit: async () => undefined }
  },
  giveUp: async () => undefined,
}
