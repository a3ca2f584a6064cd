/** Steps with messages on a connection. */
import assert from 'node:assert/strict'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import type { Scene } from './scenario.ts'

/** The wallet pings (Aries RFC 0048) and has our answer. */
export const ping = async (acapy: AcaPy, walletConnectionId: string): Promise<void> => {
  const { thread_id: threadId } = await acapy.post(`/connections/${walletConnectionId}/send-ping`, {})
  await waitFor('our answer to the ping', async () => {
    const answers = await acapy.heard('trust_ping/1.0/ping_response')
    return answers.some((answer) => answer['~thread'].thid === threadId)
  })
}

/** Contents of the basic messages that the wallet has from us. */
export const heardFromUs = (acapy: AcaPy, walletConnectionId: string, count = 1): Promise<string[]> =>
  waitFor(`${count} messages to be at the wallet`, async () => {
    const messages = await acapy.heard('basicmessage/1.0/message', walletConnectionId)
    return messages.length >= count && messages.map(({ content }) => content)
  })

/** A message of ours on a thread, of this type. */
export const heardOn = (acapy: AcaPy, type: string, threadId: string): Promise<Json> =>
  waitFor(`our ${type} to be at the wallet`, async () =>
    (await acapy.heard(type)).find(({ '~thread': thread }) => thread?.thid === threadId),
  )

/** Resolves when we have answered a message of the wallet that has this type, as `did-rotate/1.0/hangup`. */
export const arrived = ({ acapy, deliveries }: Scene, type: string): Promise<boolean> =>
  waitFor(`${type} to be here`, async () => {
    const sent = await acapy.sent(type)
    return deliveries().some(({ envelope }) => JSON.parse(envelope).tag in sent)
  })

/** A message of the wallet. */
export const say = async (acapy: AcaPy, walletConnectionId: string, content: string): Promise<void> => {
  await acapy.post(`/connections/${walletConnectionId}/send-message`, { content })
}

/** One message each way. */
export const talkBothWays = async (
  { acapy, agent }: Scene,
  connectionId: string,
  walletConnectionId: string,
): Promise<void> => {
  await agent.send(connectionId, 'Hello, wallet')
  assert.deepEqual(await heardFromUs(acapy, walletConnectionId), ['Hello, wallet'])
  await say(acapy, walletConnectionId, 'Hello, agent')
  assert.deepEqual(await agent.received(connectionId), ['Hello, agent'])
}
