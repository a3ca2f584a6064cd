/** A scene of AnonCreds: a tenant with a credential definition, a wallet with a credential of it, and envelopes that the agent has not received yet. */
import type { DidCommEncryptedMessage } from '@credo-ts/didcomm'
import { waitFor } from '../../wallet/wait.ts'
import { requestBody } from '../scenes.ts'
import type { Json } from '../stage/in-process-stage.ts'
import type { GatewayCall } from './gateway-event.ts'
import type { CallOperation, CapturingWallet } from './scene.ts'

/** As many as the issuer of bare-library.ts has. */
const VALUES = { name: 'Ada', age: '24', degree: 'Bachelor', zip: '8001' }

const REGISTRY_SIZE = 500

/** Options of such a wallet: it does nothing automatically. */
export const WALLET = { acceptOffers: false, answerProofs: false } as const

/** A message of the wallet, and the agent's exchange that it belongs to. */
export interface Captured {
  envelope: DidCommEncryptedMessage
  /** Of the agent's record. */
  id: string
  /** Of the wallet's. */
  walletRecordId: string
}

export class AnonCredsScene {
  readonly caller: { tenantId: string }
  readonly connectionId: string
  readonly credentialDefinitionId: string
  readonly schemaId: string
  /** The agent's record of the credential that the wallet holds. */
  heldRecordId = ''
  readonly #call: CallOperation
  readonly #capturing: CapturingWallet

  private constructor(call: CallOperation, capturing: CapturingWallet, made: Json) {
    this.#call = call
    this.#capturing = capturing
    this.caller = made.caller
    this.connectionId = made.connectionId
    this.schemaId = made.schemaId
    this.credentialDefinitionId = made.credentialDefinitionId
  }

  /** Rejects when an operation answers with an error, or when something does not happen in time. */
  static async play(call: CallOperation, capturing: CapturingWallet): Promise<AnonCredsScene> {
    const { id: tenantId } = await ask(call, 'create-tenant', { body: { config: { label: 'University' } } })
    const caller = { tenantId }
    const request = await ask(call, 'create-request', { caller, body: requestBody })
    await capturing.wallet.connect(request.invitationUrl)
    const { id: connectionId } = await waitFor('the connection to be completed', async () => {
      const [found] = await ask(call, 'get-connections', { caller, query: { outOfBandId: request.outOfBandRecord.id } })
      return found?.state === 'completed' && found
    })
    const schema = { name: 'degree', version: '1.0', attributes: Object.keys(VALUES) }
    const { schemaId } = await ask(call, 'create-schema', { caller, body: schema })
    const { credentialDefinitionId } = await define(call, caller, schemaId, 'default')
    const scene = new AnonCredsScene(call, capturing, { caller, connectionId, schemaId, credentialDefinitionId })
    await scene.#hold()
    return scene
  }

  /** Has another definition created; resolves when it is finished. */
  define(tag: string): Promise<Json> {
    return define(this.#call, this.caller, this.schemaId, tag)
  }

  get offerCall(): GatewayCall {
    const attributes = Object.entries(VALUES).map(([name, value]) => ({ name, value }))
    const { caller, connectionId, credentialDefinitionId } = this
    const credentialFormats = { anoncreds: { credentialDefinitionId, attributes } }
    const body = { connectionId, protocolVersion: 'v2', autoAcceptCredential: 'always', credentialFormats }
    return { caller, body }
  }

  /** The wallet's request for what was offered: `offered` is the answer of create-offer. */
  async request(offered: Json): Promise<Captured> {
    const { wallet, captureSent } = this.#capturing
    const exchange = await waitFor('the offer', async () =>
      (await wallet.credentialExchanges()).find(({ threadId }) => threadId === offered.threadId),
    )
    const accept = () => wallet.agent.didcomm.credentials.acceptOffer({ credentialExchangeRecordId: exchange.id })
    return { envelope: await captureSent(accept), id: offered.id, walletRecordId: exchange.id }
  }

  /** The wallet's presentation for a request. */
  async present({ nonRevoked }: { nonRevoked: boolean }): Promise<Captured> {
    const { wallet, captureSent } = this.#capturing
    const asked = await ask(this.#call, 'create-request', { caller: this.caller, body: this.#proofRequest(nonRevoked) })
    await wallet.connect(asked.invitationUrl)
    const proof = await waitFor('the request', async () =>
      (await wallet.proofs()).find(({ threadId }) => threadId === asked.proofRecordThId),
    )
    const present = () => wallet.answerProof(proof.id)
    return { envelope: await captureSent(present), id: asked.proofRecordId, walletRecordId: proof.id }
  }

  /** Resolves when the wallet has the agent's answer, and the agent is idle. */
  async settled({ walletRecordId }: Captured): Promise<void> {
    const { credentials, proofs } = this.#capturing.wallet.agent.didcomm
    await waitFor('the answer', async () => {
      const record = (await credentials.findById(walletRecordId)) ?? (await proofs.findById(walletRecordId))
      return /^(credential-received|done|abandoned)$/.test(record?.state ?? '')
    })
  }

  #proofRequest(nonRevoked: boolean): Json {
    const restrictions = [{ cred_def_id: this.credentialDefinitionId }]
    const anoncreds = {
      name: 'degree',
      version: '1.0',
      ...(nonRevoked && { non_revoked: { to: Math.floor(Date.now() / 1000) } }),
      requested_attributes: { degree: { name: 'degree', restrictions } },
      requested_predicates: { age: { name: 'age', p_type: '>=', p_value: 18, restrictions } },
    }
    return { protocolVersion: 'v2', autoAcceptProof: 'always', proofFormats: { anoncreds } }
  }

  /** The wallet gets the one credential that it presents; until the registry exists, an offer is a 503. */
  async #hold(): Promise<void> {
    const { wallet } = this.#capturing
    const offered = await waitFor('a revocation registry', async () => {
      const { status, body } = await this.#call('create-offer', this.offerCall)
      return status === 200 && body
    })
    const { id } = await waitFor('the offer', async () => (await wallet.credentialExchanges())[0])
    await wallet.agent.didcomm.credentials.acceptOffer({ credentialExchangeRecordId: id })
    await waitFor('the credential', async () => {
      const { state } = await wallet.agent.didcomm.credentials.getById(id)
      return state === 'credential-received'
    })
    await wallet.agent.didcomm.credentials.acceptCredential({ credentialExchangeRecordId: id })
    this.heldRecordId = offered.id
    await waitFor('the exchange to be done', async () => {
      const path = { credentialRecordId: offered.id }
      return (await ask(this.#call, 'get-credential-by-id', { caller: this.caller, path })).state === 'done'
    })
  }
}

const ask = async (call: CallOperation, name: string, given: GatewayCall): Promise<Json> => {
  const { status, body } = await call(name, given)
  if (status >= 300) throw new Error(`${name} answers ${status}: ${JSON.stringify(body)}`)
  return body
}

const define = async (call: CallOperation, caller: { tenantId: string }, schemaId: string, tag: string) => {
  const body = { schemaId, tag, supportRevocation: true, revocationRegistrySize: REGISTRY_SIZE }
  const { id } = await ask(call, 'create-credential-definition', { caller, body })
  const made = await waitFor('the definition', async () => {
    const path = { credentialDefinitionId: id }
    const found = await ask(call, 'get-credential-definition-by-id', { caller, path })
    return found.state !== 'wait' && found
  })
  if (made.state !== 'finished') throw new Error(`the definition is ${made.state}: ${made.reason}`)
  return made
}
