/** Acknowledgements of an outcome that is not known yet (Aries RFC 0015). */
import { AckStatus, DidCommAckMessage, type DidCommMessageHandlerMiddleware } from '@credo-ts/didcomm'

/** Ignored because Credo's handlers don't read the status. Another acknowledgement or a problem report follows. */
export const ignorePendingAcks: DidCommMessageHandlerMiddleware = async ({ message }, next) => {
  if (!(message instanceof DidCommAckMessage) || message.status !== AckStatus.PENDING) await next()
}
