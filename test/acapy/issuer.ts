/** A tenant that issues AnonCreds: its definitions under its did:webvh, and on an Indy ledger, where an operator writes what the tenant asks for. */
import type { IndyProxy } from '../support/anoncreds/indy-proxy.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { OurAgent } from './agent.ts'

export const NAMESPACE = 'interop'
const LEDGER_DID = 'WgWxqztrNooG92RXvxSTWv'

export interface Definition {
  schemaId: string
  credentialDefinitionId: string
  issuerId: string
}

/** Credentials of both definitions can be revoked. */
export interface Issuer {
  agent: OurAgent
  webvh: Definition
  /** By unqualified ids, which are all that the `indy` format knows. */
  indy: Definition
}

const REVOCABLE = { tag: 'default', supportRevocation: true, revocationRegistrySize: 100 }

const SCHEMA = { name: 'degree', version: '1.0', attributes: ['name', 'degree', 'age'] }

/** Ms between two looks of the operator. */
const LOOK = 500

/** Writes the pending objects of a definition to the ledger: the definition, its registries, and who is revoked. */
const operate = (agent: OurAgent, ledger: IndyProxy, id: string): void => {
  const written = new Set<string>()
  const look = async (): Promise<void> => {
    const { ledgerObjects = [] } = await agent.ask(`/anoncreds/credential-definitions/${id}`)
    for (const { transaction } of ledgerObjects) {
      const text = JSON.stringify(transaction)
      if (written.has(text)) continue
      written.add(text)
      ledger.write(transaction.request)
    }
  }
  // It ends with the service, and with the process.
  const looking = setInterval(() => look().catch(() => clearInterval(looking)), LOOK).unref()
}

/** A definition when it is in one of these states. */
const definitionIn = (agent: OurAgent, id: string, ...states: string[]): Promise<Json> =>
  waitFor(`the credential definition to be ${states.join(' or ')}`, async () => {
    const definition = await agent.ask(`/anoncreds/credential-definitions/${id}`)
    if (definition.state === 'failed') throw new Error(`the credential definition has failed: ${definition.reason}`)
    return states.includes(definition.state) && definition
  })

const onWebvh = async (agent: OurAgent): Promise<Definition> => {
  const { schemaId } = await agent.ask('/anoncreds/schemas', SCHEMA)
  const { id } = await agent.ask('/anoncreds/credential-definitions', { schemaId, ...REVOCABLE })
  const { credentialDefinitionId, issuerId } = await definitionIn(agent, id, 'finished')
  return { schemaId, credentialDefinitionId, issuerId }
}

const onLedger = async (agent: OurAgent, ledger: IndyProxy): Promise<Definition> => {
  const wanted = { ...SCHEMA, issuerId: `did:indy:${NAMESPACE}:${LEDGER_DID}` }
  const asked = await agent.ask('/anoncreds/schemas', wanted)
  const { seqNo } = ledger.write(asked.ledgerTransaction.request)
  const { schemaId, state } = await agent.ask('/anoncreds/schemas', wanted)
  if (state !== 'finished') throw new Error(`the schema on the ledger is ${state}`)
  const { issuerId } = wanted
  const { id } = await agent.ask('/anoncreds/credential-definitions', { issuerId, schemaId, ...REVOCABLE })
  operate(agent, ledger, id)
  await definitionIn(agent, id, 'finished')
  return {
    schemaId: `${LEDGER_DID}:2:${SCHEMA.name}:${SCHEMA.version}`,
    credentialDefinitionId: `${LEDGER_DID}:3:CL:${seqNo}:default`,
    issuerId: LEDGER_DID,
  }
}

export const makeIssuer = async (agent: OurAgent, ledger: IndyProxy): Promise<Issuer> => {
  const [webvh, indy] = await Promise.all([onWebvh(agent), onLedger(agent, ledger)])
  return { agent, webvh, indy }
}
