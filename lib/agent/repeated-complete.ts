/** The end of a handshake that comes again, as another message: a repetition, and no error. */
import {
  DidCommDidExchangeCompleteMessage,
  DidCommDidExchangeState,
  type DidCommMessageHandlerMiddleware,
} from '@credo-ts/didcomm'

/** Credo calls this before any handler; its own would refuse the message, and the sender would send it again and again. */
export const takeRepeatedComplete: DidCommMessageHandlerMiddleware = async ({ connection, message }, next) => {
  const isRepetition =
    message instanceof DidCommDidExchangeCompleteMessage &&
    connection?.state === DidCommDidExchangeState.Completed &&
    connection.threadId === message.threadId
  if (!isRepetition) await next()
}
