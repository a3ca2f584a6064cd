/** The operator of an Indy issuer: reads pending transactions in the agent's answers, and writes them when a test says so. */
import { waitFor } from '../../wallet/wait.ts'
import type { Json } from '../stage/in-process-stage.ts'
import type { IndyProxy } from './indy-proxy.ts'
import type { AnonCredsWorld } from './world.ts'

type World = Pick<AnonCredsWorld, 'stage' | 'caller'>

export class LedgerOperator {
  readonly #world: World
  readonly #proxy: IndyProxy
  /** Called while a test waits: one with a fake clock advances it. */
  readonly #meanwhile: () => Promise<unknown>

  constructor(world: World, proxy: IndyProxy, meanwhile = () => world.stage.line.sweep()) {
    this.#world = world
    this.#proxy = proxy
    this.#meanwhile = meanwhile
  }

  #until<T>(what: string, ask: () => Promise<T | false>): Promise<T> {
    return waitFor(what, async () => {
      const found = await ask()
      if (found === false) await this.#meanwhile()
      return found
    })
  }

  write({ transaction }: Json): void {
    this.#proxy.write(transaction.request, Math.floor(Date.now() / 1000))
  }

  /** A definition as the agent shows it. */
  async read(id: string): Promise<Json> {
    const { stage, caller } = this.#world
    const path = { credentialDefinitionId: encodeURIComponent(id) }
    return (await stage.call('getCredentialDefinitionById', { caller, path })).body
  }

  /** The pending transaction of a definition, as soon as it has this type. */
  waiting(id: string, type: string): Promise<Json[]> {
    return this.#until(`${type} to wait`, async () => {
      const { state, reason, ledgerObjects = [] } = await this.read(id)
      if (state === 'failed') throw new Error(reason)
      return ledgerObjects.length > 0 && ledgerObjects.every((one: Json) => one.type === type) && ledgerObjects
    })
  }

  /** Resolves when no transaction is pending. */
  async hasWritten(id: string): Promise<void> {
    await this.#until('nothing to wait', async () => !('ledgerObjects' in (await this.read(id))))
  }

  /** A revocable definition of a degree, which the ledger has: its first registry is being made. */
  async define(issuerId: string, tag: string): Promise<Json> {
    const { stage, caller } = this.#world
    const body = { issuerId, name: 'degree', version: '1.0', attributes: ['name', 'degree', 'age'] }
    const { schemaId, state, ledgerTransaction } = (await stage.call('createSchema', { caller, body })).body
    if (state === 'action') this.write({ transaction: ledgerTransaction })
    const asked = await stage.call('createCredentialDefinition', {
      caller,
      body: { issuerId, schemaId, tag, supportRevocation: true, revocationRegistrySize: 100 },
    })
    const { id } = asked.body
    const [definition] = await this.waiting(id, 'CLAIM_DEF')
    this.write(definition)
    return this.#until('the definition to be finished', async () => {
      const found = await this.read(id)
      return found.state === 'finished' && found
    })
  }
}
