/** A `complete` (Aries RFC 0023) for a connection that is completed: a repetition, and no error. */
import {
  DidCommDidExchangeCompleteMessage,
  DidCommDidExchangeState,
  type DidCommMessageHandlerMiddleware,
} from '@credo-ts/didcomm'

/** Credo calls this before any handler. Its own refuses the repetition, and the sender tries again. */
export const takeRepeatedComplete: DidCommMessageHandlerMiddleware = async ({ connection, message }, next) => {
  const isRepetition =
    message instanceof DidCommDidExchangeCompleteMessage &&
    connection?.state === DidCommDidExchangeState.Completed &&
    connection.threadId === message.threadId
  if (!isRepetition) await next()
}
