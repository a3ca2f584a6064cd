/** DIDComm v1 envelopes (Aries RFC 0019): packing, unpacking, and the bounds of their messages. */
export { cannotHandleError, type Envelope, readEnvelope, readHeader } from './envelope.ts'
export { AgentEnvelopeService, AgentPackingService } from './envelope-service.ts'
export { UnusableKeysError } from './pack-envelope.ts'
export { assertReadable, isReadableDocument, MAX_IDENTIFIER, MAX_KEY, MAX_KEYS } from './readable-message.ts'
