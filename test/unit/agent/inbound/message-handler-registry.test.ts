/** The protocols that the registry of handlers returns. */
import { type DidCommMessageHandler, DidCommTrustPingMessage } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { AgentMessageHandlerRegistry } from '../../../../lib/agent/inbound/message-handler-registry.ts'

const handlerOf = (...supportedMessages: DidCommMessageHandler['supportedMessages']): DidCommMessageHandler => ({
  supportedMessages,
  handle: async () => undefined,
})

test('should have the protocol of a handler that is registered after the first read', () => {
  const registry = new AgentMessageHandlerRegistry()
  expect(registry.supportedProtocolUris).toEqual([])
  registry.registerMessageHandlers([handlerOf(DidCommTrustPingMessage)])
  const uris = registry.supportedProtocolUris.map(({ protocolUri }) => protocolUri)
  expect(uris).toEqual(['https://didcomm.org/trust_ping/1.0'])
  expect(registry.supportedProtocolUris).toBe(registry.supportedProtocolUris)
})
