/** The agent that only sends, and therefore starts faster: it handles no protocol and manages no keys. */
import { DidCommModule, DidCommModuleConfig } from '@credo-ts/didcomm'
import { commonOptions, platformModules } from './compose-common.ts'
import { agentOf, provideSendingAgent } from './credo/index.ts'

const didCommOptions = (endpoint: string) => ({
  ...commonOptions(endpoint),
  credentials: false as const,
  proofs: false as const,
})

provideSendingAgent(
  agentOf({
    modules: (endpoint, contexts) => {
      const { below, platform } = platformModules(contexts)
      return { ...below, didcomm: new DidCommModule(didCommOptions(endpoint)), platform }
    },
    configOf: (endpoint) => new DidCommModuleConfig(didCommOptions(endpoint)),
  }),
)
