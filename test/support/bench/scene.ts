/** A scene that calls for every operation: a tenant whose wallet connects, talks, takes a credential and presents it. */
import type { DidCommEncryptedMessage } from '@credo-ts/didcomm'
import { waitFor } from '../../wallet/wait.ts'
import { Wallet } from '../../wallet/wallet.ts'
import type { WalletOptions } from '../../wallet/wallet-parts.ts'
import { offerBody, requestBody } from '../scenes.ts'
import type { Json } from '../stage/in-process-stage.ts'
import type { GatewayCall } from './gateway-event.ts'

/** Calls the operation of a function, such as `create-request`. */
export type CallOperation = (name: string, call: GatewayCall) => Promise<{ status: number; body: Json }>

export interface Scene {
  caller: { tenantId: string }
  /** Id of the wallet's connection, of which `connection` is the other end. */
  walletConnectionId: string
  connection: Json
  /** Of both sides, oldest first. */
  messages: Json[]
  /** Credential exchange, done. */
  credential: Json
  /** Form data of the proof, done. */
  proof: Json
}

/** Rejects when an operation answers with an error, or when something does not happen in time. */
export const playScene = async (call: CallOperation, wallet: Wallet): Promise<Scene> => {
  const ask = async (name: string, given: GatewayCall): Promise<Json> => {
    const { status, body } = await call(name, given)
    if (status >= 300) throw new Error(`${name} answers ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const { id: tenantId } = await ask('create-tenant', { body: { config: { label: 'Acme' } } })
  const caller = { tenantId }
  const request = await ask('create-request', { caller, body: requestBody })
  const { id: walletConnectionId } = await wallet.connect(request.invitationUrl)
  const { id: connectionId } = await waitFor('the connection to be completed', async () => {
    const [found] = await ask('get-connections', { caller, query: { outOfBandId: request.outOfBandRecord.id } })
    return found?.state === 'completed' && found
  })
  const path = { connectionId }
  const connection = await ask('get-connection-by-id', { caller, path })

  await ask('send-message', { caller, path, body: { content: 'hello' } })
  await waitFor('the message to come', async () => (await wallet.messages(walletConnectionId))[0])
  await wallet.sendMessage(walletConnectionId, 'hi')
  const messages = await ask('tenant-get-basic-messages', { caller, path: { ...path, tenantId } })

  const offered = await ask('create-offer', { caller, body: offerBody(connectionId, wallet.did) })
  const credential = await waitFor('the credential exchange to be done', async () => {
    const record = await ask('get-credential-by-id', { caller, path: { credentialRecordId: offered.id } })
    return record.state === 'done' && record
  })
  const proof = await waitFor('the proof to be done', async () => {
    const proofPath = { tenantId, proofRecordId: request.proofRecordId }
    const record = await ask('tenant-proof-form-data', { caller, path: proofPath })
    return record.state === 'done' && record
  })
  return { caller, walletConnectionId, connection, messages, credential, proof }
}

export interface CapturingWallet {
  wallet: Wallet
  /** Has the wallet send a message that does not leave; resolves to its envelope. */
  captureSent(send: () => Promise<unknown>): Promise<DidCommEncryptedMessage>
  /** The same of a basic message. */
  capture(walletConnectionId: string): Promise<DidCommEncryptedMessage>
}

/** A wallet whose envelopes can be caught before the agent receives them. */
export const startCapturingWallet = async (options: WalletOptions = {}): Promise<CapturingWallet> => {
  let captured: DidCommEncryptedMessage[] | undefined
  const wallet = await Wallet.start({
    ...options,
    network: (deliver) => (endpoint, envelope, signal) => {
      if (captured === undefined) return deliver(endpoint, envelope, signal)
      captured.push(envelope)
      return Promise.resolve({ status: 200, body: '' })
    },
  })
  const captureSent = async (send: () => Promise<unknown>): Promise<DidCommEncryptedMessage> => {
    const held: DidCommEncryptedMessage[] = []
    captured = held
    await send().finally(() => {
      captured = undefined
    })
    const [envelope] = held
    if (envelope === undefined) throw new Error('the wallet has sent nothing')
    return envelope
  }
  return {
    wallet,
    captureSent,
    capture: (walletConnectionId) => captureSent(() => wallet.sendMessage(walletConnectionId, 'hello again')),
  }
}
