/** Basic messages (Aries RFC 0095), trust ping (RFC 0048), discover features (RFC 0031, 0557), and what nobody knows. */
import assert from 'node:assert/strict'
import { connect } from '../connect.ts'
import { arrived, heardFromUs, ping, say, talkBothWays } from '../messages.ts'
import type { Scenario } from '../scenario.ts'

const MESSAGES = 20

const numbered = (text: string): string[] => Array.from({ length: MESSAGES }, (_, index) => `${text} ${index + 1}`)

const BOTH = ['1.7.0', '1.2.7'] as const

/** Messages that each side sends, one after the other, arrive in order and once. */
const talkInOrder: Scenario['play'] = async (scene) => {
  const { acapy, agent } = scene
  const { connection, walletConnectionId } = await connect(scene)
  const ours = numbered('we say')
  const theirs = numbered('the wallet says')
  for (const content of ours) await agent.send(connection.id, content)
  assert.deepEqual(await heardFromUs(acapy, walletConnectionId, MESSAGES), ours)
  for (const [index, content] of theirs.entries()) {
    await say(acapy, walletConnectionId, content)
    // ACA-Py posts at once what it is told to send: what it has not posted yet may come first.
    await agent.received(connection.id, index + 1)
  }
  assert.deepEqual(await agent.received(connection.id, MESSAGES), theirs)
}

export const TALK: Scenario[] = [
  {
    name: 'messages',
    title: '20 messages each way, in order and once',
    protocol: 'Basic Message 1.0',
    role: 'sender, receiver',
    versions: BOTH,
    play: talkInOrder,
  },
  {
    name: 'down-and-up',
    title: 'goes down and comes back; what we sent meanwhile arrives, in order and once',
    protocol: 'Basic Message 1.0',
    role: 'sender, receiver',
    versions: ['1.7.0'],
    wallet: 'own',
    play: async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      await acapy.down()
      const contents = ['sent while you were down', 'so was this']
      for (const content of contents) await agent.send(connection.id, content)
      await acapy.up()
      assert.deepEqual(await heardFromUs(acapy, walletConnectionId, contents.length), contents)
      await say(acapy, walletConnectionId, 'here again')
      assert.deepEqual(await agent.received(connection.id), ['here again'])
    },
  },
  {
    name: 'ping',
    title: 'pings, and has an answer',
    protocol: 'Trust Ping 1.0',
    role: 'receiver',
    versions: BOTH,
    play: async (scene) => {
      const { walletConnectionId } = await connect(scene)
      await ping(scene.acapy, walletConnectionId)
    },
  },
  {
    name: 'discover-features-1',
    title: 'asks for our protocols',
    protocol: 'Discover Features 1.0',
    role: 'responder',
    versions: BOTH,
    play: async (scene) => {
      const { acapy } = scene
      const { walletConnectionId } = await connect(scene)
      const { disclose } = await acapy.get(`/discover-features/query?connection_id=${walletConnectionId}&query=*`)
      const protocols = disclose?.protocols?.map(({ pid }: { pid: string }) => pid) ?? []
      assert.ok(protocols.includes('https://didcomm.org/basicmessage/1.0'), `we disclose ${JSON.stringify(protocols)}`)
    },
  },
  {
    name: 'discover-features-2',
    title: 'asks for our protocols and goal codes',
    protocol: 'Discover Features 2.0',
    role: 'responder',
    versions: BOTH,
    play: async (scene) => {
      const { acapy } = scene
      const { walletConnectionId } = await connect(scene)
      const query = `connection_id=${walletConnectionId}&query_protocol=*&query_goal_code=*`
      const { disclosures } = await acapy.get(`/discover-features-2.0/queries?${query}`)
      const ids = disclosures?.disclosures?.map(({ id }: { id: string }) => id) ?? []
      assert.ok(ids.includes('https://didcomm.org/basicmessage/1.0'), `we disclose ${JSON.stringify(ids)}`)
    },
  },
  {
    name: 'unknown-protocol',
    title: 'sends a message of a protocol that nobody knows; the connection stays as it is',
    protocol: 'unknown',
    role: 'receiver',
    versions: BOTH,
    play: async (scene) => {
      const { acapy } = scene
      const { connection, walletConnectionId } = await connect(scene)
      await acapy.sendRaw(walletConnectionId, {
        '@type': 'https://example.org/lottery/1.0/draw',
        '@id': crypto.randomUUID(),
        numbers: [1, 2, 3],
      })
      await arrived(scene, 'lottery/1.0/draw')
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  },
  {
    name: 'unknown-version',
    title: 'sends a minor version that we do not know; it is read as the one that we know',
    protocol: 'Basic Message 1.0',
    role: 'receiver',
    versions: ['1.7.0'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      await acapy.sendRaw(walletConnectionId, {
        '@type': 'https://didcomm.org/basicmessage/1.9/message',
        '@id': crypto.randomUUID(),
        sent_time: new Date().toISOString(),
        content: 'from the future',
      })
      assert.deepEqual(await agent.received(connection.id), ['from the future'])
    },
  },
]
