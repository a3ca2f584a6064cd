/** Ready-made keys of credential definitions: the library searches primes for seconds, and for longer on a busy machine. */
import {
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
  type CreateCredentialDefinitionOptions,
  type CreateCredentialDefinitionReturn,
} from '@credo-ts/anoncreds'
import { vi } from 'vitest'
import type { Json } from '../stage/in-process-stage.ts'
import degree from './definition-keys.json' with { type: 'json' }

export interface QuickKeys {
  /** Number of requests for keys. */
  made: number
  /** Called before the keys are returned: a test may delay them. */
  before: () => Promise<unknown>
}

const LINK_SECRET = 'master_secret'

/**
 * The keys of the prepared definition under the names of another: of the right form and size, and good for issuing where the attributes are
 * those of the prepared one.
 */
const renamed = (options: CreateCredentialDefinitionOptions): CreateCredentialDefinitionReturn => {
  const { issuerId, schemaId, tag, supportRevocation, schema } = options
  const { credentialDefinition, keyCorrectnessProof, ...secrets }: Json = structuredClone(degree)
  const { primary, revocation } = credentialDefinition.value
  const names = [LINK_SECRET, ...schema.attrNames.map((name) => name.replaceAll(' ', '').toLowerCase())]
  const [any] = Object.values(primary.r)
  const r = Object.fromEntries(names.map((name) => [name, primary.r[name] ?? any]))
  const caps: Record<string, string> = Object.fromEntries(keyCorrectnessProof.xr_cap)
  const [anyCap] = Object.values(caps)
  // The proof is over them in this order.
  const inOrder = [...new Set([...Object.keys(caps).filter((name) => names.includes(name)), ...names])]
  return {
    ...secrets,
    credentialDefinition: {
      ...{ ...credentialDefinition, issuerId, schemaId, tag },
      value: { primary: { ...primary, r }, ...(supportRevocation && { revocation }) },
    },
    keyCorrectnessProof: { ...keyCorrectnessProof, xr_cap: inOrder.map((name) => [name, caps[name] ?? anyCap]) },
  }
}

/** Replaces the library in the service of this process, for whichever tenant. */
export const useQuickKeys = async (): Promise<QuickKeys> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  await import('../../../lib/agent/compose.ts')
  const { currentAgent } = await import('../../../lib/agent/credo/current.ts')
  const { context } = await transaction('@base', currentAgent)
  const service = context.resolve<AnonCredsIssuerService>(AnonCredsIssuerServiceSymbol)
  const keys: QuickKeys = { made: 0, before: async () => {} }
  vi.spyOn(Object.getPrototypeOf(service) as AnonCredsIssuerService, 'createCredentialDefinition').mockImplementation(
    async (_, options) => {
      keys.made += 1
      await keys.before()
      return renamed(options)
    },
  )
  return keys
}
