/** Messages that wait for a wallet without an endpoint (Aries RFC 0212, 0685). ACA-Py has no such protocol, so that its messages are written here. */
import assert from 'node:assert/strict'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { waitFor } from '../../wallet/wait.ts'
import type { AcaPy } from '../acapy.ts'
import { connect } from '../connect.ts'
import { license } from '../harness.ts'
import { detailBy, offerOf, theirExchangeOf } from '../holding.ts'
import { heardFromUs } from '../messages.ts'
import { type Scenario, scenario } from '../scenario.ts'

const CONTENTS = ['the first', 'the second', 'the third']

/** Sends a message and resolves to the answer of this type. */
const ask = async (acapy: AcaPy, connectionId: string, message: object, answer: string): Promise<Json> => {
  const id = crypto.randomUUID()
  await acapy.sendRaw(connectionId, { '@id': id, ...message })
  return waitFor(`our ${answer}`, async () => {
    const answers = await acapy.heard(answer, connectionId)
    return answers.find(({ '~thread': thread }: Json) => thread?.thid === id)
  })
}

/** Fetches what waits and hands it in; resolves to the number of messages. */
const fetchAll = async (acapy: AcaPy, connectionId: string): Promise<number> => {
  const request = { '@type': 'https://didcomm.org/messagepickup/1.0/batch-pickup', batch_size: 10 }
  const { 'messages~attach': messages } = await ask(acapy, connectionId, request, 'messagepickup/1.0/batch')
  for (const { message } of messages) await acapy.deliver(JSON.stringify(message))
  return messages.length
}

/** Three messages of ours that wait; `fetch` gets them for the wallet. */
const waiting =
  (fetch: (acapy: AcaPy, walletConnectionId: string) => Promise<void>): Scenario['play'] =>
  async (scene) => {
    const { acapy, agent } = scene
    const { connection, walletConnectionId } = await connect(scene)
    for (const content of CONTENTS) await agent.send(connection.id, content)
    await fetch(acapy, walletConnectionId)
    assert.deepEqual(await heardFromUs(acapy, walletConnectionId, CONTENTS.length), CONTENTS)
    await waitFor('our messages to be delivered', async () => {
      const messages = await agent.ask(`/basic-messages/${connection.id}`)
      return messages.every(({ metadata }: Json) => metadata['_agent/delivery']?.state === 'delivered')
    })
  }

const asText = ({ data: { json, base64 } }: Json): string =>
  json === undefined ? Buffer.from(base64, 'base64').toString() : JSON.stringify(json)

export const PICKUP: Scenario[] = [
  scenario(
    { protocol: 'Pickup 1.0', role: 'mediator', wallet: 'silent' },
    'pickup-1',
    'has no endpoint: it fetches our messages, in order and once',
    waiting(async (acapy, id) => {
      assert.equal(await fetchAll(acapy, id), CONTENTS.length)
      assert.equal(await fetchAll(acapy, id), 0)
    }),
  ),
  scenario(
    { protocol: 'Pickup 1.0', role: 'mediator, holder', wallet: 'silent' },
    'pickup-holding',
    'has no endpoint: it issues a credential to us, and fetches our part of the exchange',
    async (scene) => {
      const { acapy, agent } = scene
      const { walletConnectionId } = await connect(scene)
      const ours = await offerOf(scene, walletConnectionId, await detailBy(scene, license))
      await agent.ask('/credentials/accept-offer', { credentialRecordId: ours.id })
      assert.equal(await fetchAll(acapy, walletConnectionId), 1)
      const { cred_ex_id: id } = await theirExchangeOf(acapy, ours.threadId, 'request-received')
      await acapy.post(`/issue-credential-2.0/records/${id}/issue`, {})
      // Our acknowledgement is sent back by the route of the credential.
      await agent.credentialIn(ours, 'done')
      await theirExchangeOf(acapy, ours.threadId, 'done')
    },
  ),
  scenario(
    { protocol: 'Pickup 2.0', role: 'mediator', wallet: 'silent' },
    'pickup-2',
    'has no endpoint: it asks how many messages wait, fetches them, and acknowledges them',
    waiting(async (acapy, id) => {
      const type = (name: string) => ({ '@type': `https://didcomm.org/messagepickup/2.0/${name}` })
      const status = await ask(acapy, id, type('status-request'), 'messagepickup/2.0/status')
      assert.equal(status.message_count, CONTENTS.length)
      const request = { ...type('delivery-request'), limit: 10 }
      const { '~attach': messages } = await ask(acapy, id, request, 'messagepickup/2.0/delivery')
      for (const message of messages) await acapy.deliver(asText(message))
      const received = { ...type('messages-received'), message_id_list: messages.map((one: Json) => one['@id']) }
      const left = await ask(acapy, id, received, 'messagepickup/2.0/status')
      assert.equal(left.message_count, 0)
    }),
  ),
]
