/** A wallet that sends any message: its envelopes are valid, their contents need not be. */
import { randomUUID } from 'node:crypto'
import { DidCommBasicMessage, DidCommMessageSender, DidCommOutboundMessageContext } from '@credo-ts/didcomm'
import fc from 'fast-check'
import type { ApiClient } from '../support/api/client.ts'
import type { HttpRequest } from '../support/api/http.ts'
import { corrupted } from '../support/api/odd-values.ts'
import type { Actor } from '../support/api/party.ts'
import { offerBody, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { didCommMessage, didCommMessages } from '../support/wallets/didcomm-messages.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const REQUEST = { method: 'POST', headers: { 'content-type': 'application/didcomm-envelope-enc' } }
/** Stands for an id that no message had before. */
const NEW_ID = 'a new id'

export interface Puppet {
  connectionId: string
  /** Plaintext messages, a few of them as they should be. */
  messages: fc.Arbitrary<unknown>
  /** The request that brings a message to the agent. */
  pack(message: unknown): Promise<HttpRequest>
  stop(): Promise<void>
}

/** DIDs that a wallet may want to be known by. */
const NEW_DIDS = ['did:web:127.0.0.1%3A1', 'did:jwk:e30', 'did:key:z', 'did:peer:2.Vz6Mk', 'did:example:1']

const HANDSHAKE_REPORT = /(?:connections|didexchange)\/[\d.]+\/problem-report$/

/** Messages of every kind: of exchanges on the threads that the puppet has with the agent, but none that ends them or the connection. */
const templates = (proofThread: string, credentialThread: string): object[] => {
  const onThreads = [
    ...didCommMessages({ thid: proofThread }, 'present-proof'),
    ...didCommMessages({ thid: credentialThread }, 'issue-credential'),
    ...didCommMessages({ thid: proofThread, pthid: credentialThread }, 'didexchange'),
  ].filter((message) => !String(message['@type']).endsWith('problem-report'))
  const onNone = didCommMessages().filter((message) => !HANDSHAKE_REPORT.test(String(message['@type'])))
  const rotations = NEW_DIDS.map((to_did) => ({ ...didCommMessage('did-rotate/1.0/rotate'), to_did }))
  return [...onThreads, ...onNone, ...rotations].map((message) => ({ ...message, '@id': NEW_ID }))
}

/** Connects the puppet with an agent, which offers it a credential and asks it for a proof. */
export const startPuppet = async (api: ApiClient, { token, tenantId }: Actor): Promise<Puppet> => {
  let caught: ((request: HttpRequest) => void) | undefined
  const wallet = await Wallet.start({
    label: 'Puppet',
    acceptOffers: false,
    answerProofs: false,
    network: (deliver) => async (endpoint, envelope, signal) => {
      if (caught === undefined) return deliver(endpoint, envelope, signal)
      caught({ ...REQUEST, path: new URL(endpoint).pathname, body: JSON.stringify(envelope) })
      return { status: 200, body: '' }
    },
  })
  const { body: request } = await api.post('/proofs/create-request-oob', { token, body: requestBody })
  const connection = await wallet.connect(request.invitationUrl)
  const { id: connectionId } = await waitFor('the connection to be completed', async () => {
    const { body } = await api.get(`/connections?outOfBandId=${request.outOfBandRecord.id}`, { token })
    return body[0]?.state === 'completed' && body[0]
  })
  const offer = { ...offerBody(connectionId, wallet.did), autoAcceptCredential: 'never' }
  const { body: offered } = await api.post('/credentials/create-offer', { token, body: offer })
  await waitFor('the offer', async () => (await wallet.credentialExchanges()).length > 0)

  const sender = wallet.agent.dependencyManager.resolve(DidCommMessageSender)
  const packOne = async (plaintext: unknown): Promise<HttpRequest> => {
    const text = JSON.stringify(plaintext).replaceAll(NEW_ID, () => randomUUID())
    const message = Object.assign(new DidCommBasicMessage({ content: '' }), { toJSON: (): Json => JSON.parse(text) })
    const request = new Promise<HttpRequest>((resolve) => {
      caught = resolve
    })
    await sender.sendMessage(
      new DidCommOutboundMessageContext(message, { agentContext: wallet.agent.context, connection }),
    )
    return request
  }
  // One after the other: the network catches one envelope at a time.
  let last: Promise<unknown> = Promise.resolve()
  const known = templates(request.proofRecordThId, offered.threadId)
  return {
    connectionId,
    messages: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...known) },
      { weight: 4, arbitrary: fc.constantFrom(...known).chain((message) => corrupted(message)) },
    ),
    pack: (message) => {
      // A message that the wallet's Credo cannot pack is sent unchanged.
      const plain = { ...REQUEST, path: `/didcomm/${tenantId}`, body: JSON.stringify(message) }
      const packed = last.then(() => packOne(message)).catch(() => plain)
      last = packed
      return packed
    },
    stop: () => wallet.stop(),
  }
}
