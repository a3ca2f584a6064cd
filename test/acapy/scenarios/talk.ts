/** Basic messages (Aries RFC 0095), trust ping (RFC 0048), discover features (RFC 0031, 0557), and unknown protocols. */
import assert from 'node:assert/strict'
import { connect } from '../connect.ts'
import { arrived, heardFromUs, ping, say, talkBothWays } from '../messages.ts'
import { type Scenario, scenario } from '../scenario.ts'

const MESSAGES = 20

const numbered = (text: string): string[] => Array.from({ length: MESSAGES }, (_, index) => `${text} ${index + 1}`)

const MESSAGES_BOTH_WAYS = { protocol: 'Basic Message 1.0', role: 'sender, receiver' }

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
    // ACA-Py posts immediately: a message that it has not posted yet may arrive first.
    await agent.received(connection.id, index + 1)
  }
  assert.deepEqual(await agent.received(connection.id, MESSAGES), theirs)
}

export const TALK: Scenario[] = [
  scenario(MESSAGES_BOTH_WAYS, 'messages', '20 messages each way, in order and once', talkInOrder),
  scenario(
    { ...MESSAGES_BOTH_WAYS, versions: ['1.7.0'], wallet: 'own' },
    'down-and-up',
    'goes down and comes back; what we sent meanwhile arrives, in order and once',
    async (scene) => {
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
  ),
  scenario({ protocol: 'Trust Ping 1.0', role: 'receiver' }, 'ping', 'pings, and has an answer', async (scene) => {
    const { walletConnectionId } = await connect(scene)
    await ping(scene.acapy, walletConnectionId)
  }),
  scenario(
    { protocol: 'Discover Features 1.0', role: 'responder' },
    'discover-features-1',
    'asks for our protocols',
    async (scene) => {
      const { acapy } = scene
      const { walletConnectionId } = await connect(scene)
      const { disclose } = await acapy.get(`/discover-features/query?connection_id=${walletConnectionId}&query=*`)
      const protocols = disclose?.protocols?.map(({ pid }: { pid: string }) => pid) ?? []
      assert.ok(protocols.includes('https://didcomm.org/basicmessage/1.0'), `we disclose ${JSON.stringify(protocols)}`)
    },
  ),
  scenario(
    { protocol: 'Discover Features 2.0', role: 'responder' },
    'discover-features-2',
    'asks for our protocols and goal codes',
    async (scene) => {
      const { acapy } = scene
      const { walletConnectionId } = await connect(scene)
      const query = `connection_id=${walletConnectionId}&query_protocol=*&query_goal_code=*`
      const { disclosures } = await acapy.get(`/discover-features-2.0/queries?${query}`)
      const ids = disclosures?.disclosures?.map(({ id }: { id: string }) => id) ?? []
      assert.ok(ids.includes('https://didcomm.org/basicmessage/1.0'), `we disclose ${JSON.stringify(ids)}`)
    },
  ),
  scenario(
    { protocol: 'unknown', role: 'receiver' },
    'unknown-protocol',
    'sends a message of an unknown protocol; the connection is unchanged',
    async (scene) => {
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
  ),
  scenario(
    { protocol: 'Basic Message 1.0', role: 'receiver', versions: ['1.7.0'] },
    'unknown-version',
    'sends a minor version that we do not know; it is read as the one that we know',
    async (scene) => {
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
  ),
]
