/** Keys of credential definitions that are made once in a process for each set of attributes: looking for primes takes seconds. */
import {
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
  type CreateCredentialDefinitionOptions,
  type CreateCredentialDefinitionReturn,
} from '@credo-ts/anoncreds'
import { vi } from 'vitest'

export interface QuickKeys {
  /** How often keys were asked for. */
  made: number
  /** What stands before the keys: a test may hold them back. */
  before: () => Promise<unknown>
}

const known = new Map<string, Promise<CreateCredentialDefinitionReturn>>()

/** The keys are those of another definition under this one's names: good for issuing, and for nothing secret. */
const renamed = (
  made: CreateCredentialDefinitionReturn,
  { issuerId, schemaId, tag }: CreateCredentialDefinitionOptions,
): CreateCredentialDefinitionReturn => ({
  ...made,
  credentialDefinition: { ...made.credentialDefinition, issuerId, schemaId, tag },
})

/** Takes the place of the library in the service of this process, for whichever tenant. */
export const useQuickKeys = async (): Promise<QuickKeys> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  const { currentAgent } = await import('../../../lib/agent/agent.ts')
  const { context } = await transaction('@base', currentAgent)
  const service = context.resolve<AnonCredsIssuerService>(AnonCredsIssuerServiceSymbol)
  const prototype: AnonCredsIssuerService = Object.getPrototypeOf(service)
  const real = prototype.createCredentialDefinition
  const keys: QuickKeys = { made: 0, before: async () => {} }
  vi.spyOn(prototype, 'createCredentialDefinition').mockImplementation(async (agentContext, options) => {
    keys.made += 1
    await keys.before()
    const attributes = JSON.stringify([options.supportRevocation, options.schema.attrNames])
    const made = known.get(attributes) ?? real.call(service, agentContext, options)
    known.set(attributes, made)
    return renamed(await made, options)
  })
  return keys
}
