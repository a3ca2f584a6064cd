/** Connections: handshakes, rotations of DIDs, bounds for those that nobody has invited. */
export { ConnectionService, connectionsOfOurKey, currentConnection, isOfCurrentDid } from './connection-service.ts'
export { completeByMessage, DidExchange, takeRepeatedComplete } from './did-exchange.ts'
export { completeRotation, DidRotateHandler, HangupHandler } from './did-rotation.ts'
export { endConnection, sendTrustPing } from './messages.ts'
export { findConnection, readyConnection, send } from './ready-connection.ts'
export { isHandshakeRequest } from './strangers.ts'
