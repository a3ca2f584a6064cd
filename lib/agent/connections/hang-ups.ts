/** Tells the other agents that an agent is removed: one attempt each, without the outbox, which is removed with it. */
import { setTimeout as delay } from 'node:timers/promises'
import { DidCommDidExchangeState, DidCommHangupMessage } from '@credo-ts/didcomm'
import { post } from '../../egress/post.ts'
import { errorName, isAgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { ENVELOPE_TYPE } from '../../outbox/message-lane.ts'
import { settings } from '../../settings.ts'
import { withoutCommit } from '../../store/transaction.ts'
import { currentContext } from '../credo/index.ts'
import { addedMessages, withoutQueue } from '../transport/index.ts'
import { findConnection, sendOn } from './ready-connection.ts'

/** Of the POST, in ms. */
const ATTEMPT_MS = 5_000

/** Also of what precedes it, such as reading the other agent's DID. */
const MAX_MS = 2 * ATTEMPT_MS

/** Sends a hang-up on a completed connection, to each of its endpoints, within ten seconds. Throws `store.unavailable`. */
export const hangUpOnce = (tenant: string, connectionId: string): Promise<void> =>
  Promise.race([hangUp(tenant, connectionId), delay(MAX_MS, undefined, { ref: false })])

const hangUp = async (tenant: string, connectionId: string): Promise<void> => {
  const messages = await withoutCommit(tenant, async () => {
    const agentContext = await currentContext()
    const connection = await findConnection(agentContext, connectionId)
    if (connection.state !== DidCommDidExchangeState.Completed) return []
    await sendOn(agentContext, connection, withoutQueue(new DidCommHangupMessage({})))
    return addedMessages()
  }).catch((error) => {
    if (isAgentError(error, 'store.unavailable')) throw error
    log('info', 'other agent not told of the removal', {
      event: 'removal.not_told',
      connectionId,
      error: errorName(error),
    })
    return []
  })
  await Promise.all(
    messages.map(({ endpoint, payload }) =>
      post({
        url: endpoint,
        headers: { 'content-type': ENVELOPE_TYPE },
        body: payload,
        policy: { local: settings().LOCAL_STAGE },
        limits: { attemptMs: ATTEMPT_MS },
      }),
    ),
  )
}
