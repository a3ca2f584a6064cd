/** A wallet that says whatever it is told to: its envelopes are true, what is in them need not be. */
import { randomUUID } from 'node:crypto'
import { DidCommBasicMessage, DidCommMessageSender, DidCommOutboundMessageContext } from '@credo-ts/didcomm'
import fc from 'fast-check'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'
import type { ApiClient } from './api-client.ts'
import type { HttpRequest } from './api-http.ts'
import { spoilt } from './api-odd-values.ts'
import type { Actor } from './api-party.ts'
import type { Json } from './in-process-stage.ts'
import { offerBody, requestBody } from './scenes.ts'

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

/** What agents say to each other, on the threads that the puppet has with this one. */
const templates = (proofThread: string, credentialThread: string): object[] => {
  const didcomm = (type: string, more: object) => ({ '@type': `https://didcomm.org/${type}`, '@id': NEW_ID, ...more })
  const proof = { '~thread': { thid: proofThread } }
  const credential = { '~thread': { thid: credentialThread } }
  const attach = (json: object) => [{ '@id': 'a', 'mime-type': 'application/json', data: { json } }]
  const base64 = (text: string) => [{ '@id': 'a', data: { base64: Buffer.from(text).toString('base64') } }]
  const definition = [{ attach_id: 'a', format: 'dif/presentation-exchange/submission@v1.0' }]
  const detail = [{ attach_id: 'a', format: 'aries/ld-proof-vc-detail@v1.0' }]
  return [
    didcomm('basicmessage/1.0/message', {
      content: 'hello',
      sent_time: '2026-01-01T00:00:00.000Z',
      '~l10n': { locale: 'en' },
    }),
    didcomm('present-proof/2.0/presentation', {
      ...proof,
      formats: definition,
      'presentations~attach': attach({ '@context': [], type: ['VerifiablePresentation'], verifiableCredential: [] }),
    }),
    didcomm('present-proof/2.0/presentation', { ...proof, formats: definition, 'presentations~attach': base64('{}') }),
    didcomm('present-proof/1.0/presentation', { ...proof, 'presentations~attach': base64('{}') }),
    didcomm('present-proof/2.0/propose-presentation', {
      ...proof,
      formats: definition,
      'proposals~attach': attach({}),
    }),
    didcomm('present-proof/1.0/propose-presentation', {
      presentation_proposal: {
        '@type': 'https://didcomm.org/present-proof/1.0/presentation-preview',
        attributes: [],
        predicates: [],
      },
    }),
    didcomm('present-proof/2.0/ack', { ...proof, status: 'OK' }),
    didcomm('issue-credential/2.0/request-credential', {
      ...credential,
      formats: detail,
      'requests~attach': attach({ credential: { '@context': [], type: [] }, options: {} }),
    }),
    didcomm('issue-credential/2.0/propose-credential', { formats: detail, 'filters~attach': attach({}), comment: 'c' }),
    didcomm('issue-credential/2.0/ack', { ...credential, status: 'OK' }),
    didcomm('issue-credential/2.0/problem-report', { '~thread': { thid: 'x' }, description: { code: 'c', en: 'e' } }),
    didcomm('didexchange/1.1/complete', { '~thread': { thid: proofThread, pthid: credentialThread } }),
    didcomm('out-of-band/1.1/handshake-reuse', { '~thread': { thid: NEW_ID, pthid: proofThread } }),
    didcomm('discover-features/2.0/queries', { queries: [{ 'feature-type': 'protocol', match: '*' }] }),
    didcomm('trust_ping/1.0/ping', { response_requested: true, '~transport': { return_route: 'all' } }),
    didcomm('routing/1.0/forward', { to: 'x', msg: {} }),
    didcomm('nothing/9.9/nothing', {}),
  ]
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
  // One after the other: the network has one place for what it catches.
  let last: Promise<unknown> = Promise.resolve()
  const known = templates(request.proofRecordThId, offered.threadId)
  return {
    connectionId,
    messages: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...known) },
      { weight: 4, arbitrary: fc.constantFrom(...known).chain((message) => spoilt(message)) },
    ),
    pack: (message) => {
      // What the wallet's own Credo can't pack goes out as it is.
      const plain = { ...REQUEST, path: `/didcomm/${tenantId}`, body: JSON.stringify(message) }
      const packed = last.then(() => packOne(message)).catch(() => plain)
      last = packed
      return packed
    },
    stop: () => wallet.stop(),
  }
}
