/** Connections: handshakes, rotations of DIDs, bounds for those that nobody has invited. */
export { AgentConnectionService } from './connection-service.ts'
export { currentConnection, isOfCurrentDid, withOurKey } from './current-connection.ts'
export { AgentDidExchange } from './did-exchange.ts'
export { completeRotation, DidRotateHandler, HangupHandler } from './did-rotation.ts'
export { acceptRepeatedComplete, completeByMessage } from './handshake-middleware.ts'
export { endConnection, sendTrustPing } from './messages.ts'
export { findConnection, readyConnection, readyConnectionOf, sendOn, withSendErrors } from './ready-connection.ts'
export { isHandshakeRequest } from './unsolicited-requests.ts'
