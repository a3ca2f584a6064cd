/** An Indy ledger whose operator immediately writes whatever an issuer has prepared. The agents and the wallets of the process read it. */
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'
import { IndyRegistry } from '../../../lib/agent/formats/anoncreds/indy-registry.ts'
import { settings } from '../../../lib/settings.ts'
import { IndyLedgerRegistry } from '../../wallet/indy-ledger-registry.ts'
import type { Json } from '../stage/in-process-stage.ts'
import { type IndyProxy, startIndyProxy } from './indy-proxy.ts'

const NAMESPACE = 'local'
const DID = 'WgWxqztrNooG92RXvxSTWv'

/** An Indy DID of the ledger. */
export const INDY_ISSUER = `did:indy:${NAMESPACE}:${DID}`

/** The first objects on the ledger: a schema, and a definition of it. In the `indy` format ids are unqualified. */
export const INDY_IDS = { schemaId: `${DID}:2:degree:1.0`, credentialDefinitionId: `${DID}:3:CL:10:default` }

/** The registry of the agent, and an operator at its side. */
class OperatedRegistry extends IndyRegistry {
  readonly #proxy: IndyProxy

  constructor(proxy: IndyProxy) {
    super()
    this.#proxy = proxy
  }

  #written<T extends { registrationMetadata: Json }>(answer: T): T {
    const { transaction } = answer.registrationMetadata
    if (transaction === undefined) throw new Error(`nothing to write: ${JSON.stringify(answer)}`)
    this.#proxy.write(transaction.request)
    return answer
  }

  override registerSchema = async (...all: Parameters<IndyRegistry['registerSchema']>) =>
    this.#written(await super.registerSchema(...all))

  override registerCredentialDefinition = async (...all: Parameters<IndyRegistry['registerCredentialDefinition']>) =>
    this.#written(await super.registerCredentialDefinition(...all))
}

export interface OperatedLedger {
  /** Registers and writes. */
  registry: AnonCredsRegistry
  proxy: IndyProxy
  stop(): Promise<void>
}

/** Starts one; the stage runs already. */
export const startOperatedLedger = async (): Promise<OperatedLedger> => {
  const proxy = await startIndyProxy()
  const proxies = { [NAMESPACE]: proxy.address }
  settings().INDY_PROXIES = proxies
  IndyLedgerRegistry.proxies = proxies
  return { registry: new OperatedRegistry(proxy), proxy, stop: proxy.stop }
}
