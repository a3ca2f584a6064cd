/** DATA_DIR: a stage that is killed during its work continues where it was. */

import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DELIVERY } from '../../lib/records/delivery.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { askStage, connectWallet, messagesOf, newTenant, type StageTenant } from '../support/stage/party.ts'
import { type Process, processTree, stillRunning } from '../support/stage/processes.ts'
import { type RunningStage, type StageOptions, startStage } from '../support/stage/stage.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

/** Not the tests' own environment: its public URL is not this stage's. */
const env: StageOptions['env'] = { PUBLIC_URL: '', TOKEN_ISSUERS: '', LOG_LEVEL: 'warn' }

const UNDELIVERED = ['one', 'two', 'three']

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let wallet: Wallet
let killed: RunningStage
let processes: Process[]
let stage: RunningStage
let tenant: StageTenant
/** As the API showed them before the stage was killed. */
let connection: Json
let messages: Json[]
/** As it showed them after the restart. */
let messagesAgain: Json[]

const send = ({ baseUrl }: RunningStage, content: string): Promise<Json> =>
  askStage(baseUrl, tenant.token, `/basic-messages/${connection.id}`, { content })

/** Contents that the wallet received, in order of arrival. */
const given = async (): Promise<string[]> =>
  (await wallet.messages()).filter(({ role }) => role === 'receiver').map(({ content }) => content)

/** Number of messages that the wallet has handled, duplicates included. */
const handled = (): number =>
  wallet.journal.received.filter(({ type }) => type.endsWith('/basicmessage/1.0/message')).length

/** A wallet's endpoint that takes connections and says nothing. */
const listenDeaf = async ({ hostname, port }: URL) => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    // It ends when the stage is killed.
    socket.on('error', () => {})
    sockets.push(socket)
  })
  server.listen(Number(port), hostname)
  await once(server, 'listening')
  return {
    connections: () => sockets.length,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

beforeAll(async () => {
  folder = await temporaryFolder()
  ;[wallet, killed] = await Promise.all([Wallet.start(), startStage({ dataDir: folder.path, env })])
  tenant = await newTenant(killed, 'Acme')
  connection = await connectWallet(killed, tenant, wallet)
  await send(killed, 'zero')
  await waitFor('the first message to be delivered, as its record says too', async () => {
    const [first] = await messagesOf(killed, tenant, connection.id)
    return first?.metadata[DELIVERY].state === 'delivered'
  })

  await wallet.pause()
  const [first, ...others] = UNDELIVERED
  await send(killed, first ?? '')
  await waitFor('an attempt that fails', () => killed.output().includes('outbox.attempt_failed'))
  const deaf = await listenDeaf(new URL(wallet.agent.didcomm.config.endpoints[0] ?? ''))
  await waitFor('an attempt that hangs', () => deaf.connections() > 0)
  for (const content of others) await send(killed, content)
  messages = await messagesOf(killed, tenant, connection.id)

  processes = processTree(process.pid).filter(({ pid }) => pid !== process.pid)
  await killed.kill()
  stage = await startStage({ port: Number(new URL(killed.baseUrl).port), dataDir: folder.path, env })
  // It continues immediately, and a failed attempt is recorded with its message: until now it hangs.
  messagesAgain = await messagesOf(stage, tenant, connection.id)
  await deaf.stop()
})

afterAll(async () => {
  await wallet.stop()
  await stage.stop()
  await folder[Symbol.asyncDispose]()
})

test('a stage that is killed takes its database with it', async () => {
  expect(processes.map(({ command }) => command)).toContainEqual(expect.stringMatching(/dynoxide serve/))
  await waitFor('its processes to be gone', () => stillRunning(processes).length === 0)
})

test('all records exist under the same ids, for earlier tokens', async () => {
  expect(await askStage(stage.baseUrl, tenant.token, `/connections/${connection.id}`)).toEqual(connection)
  const deliveries = messages.map(({ metadata }) => metadata[DELIVERY])
  expect(deliveries).toMatchObject([
    { state: 'delivered', attempts: 1 },
    { state: 'pending', lastError: expect.any(String) },
    { state: 'pending', attempts: 0 },
    { state: 'pending', attempts: 0 },
  ])
  expect(messagesAgain).toEqual(messages)
  expect(await askStage(stage.baseUrl, killed.rootToken, '/connections')).toEqual([])
})

test('messages that were not delivered arrive once, and in order', async () => {
  expect(await given()).toEqual(['zero'])
  await wallet.resume()
  await waitFor('all of them', async () => (await given()).length > UNDELIVERED.length)
  // A duplicate would arrive before this one.
  await send(stage, 'last')
  await waitFor('the last one', async () => (await given()).includes('last'))
  const all = ['zero', ...UNDELIVERED, 'last']
  expect(await given()).toEqual(all)
  await waitFor('the last one to be in the journal', () => handled() >= all.length)
  expect(handled()).toBe(all.length)
  expect(wallet.journal.errors).toEqual([])
})

test('keys that were sealed before open new messages', async () => {
  const [{ id = '' } = {}] = await wallet.connections()
  await wallet.sendMessage(id, 'hello again')
  const contents = (await messagesOf(stage, tenant, connection.id)).map(({ content }) => content)
  expect(contents).toContain('hello again')
})

test('only the owner can read the folder and its files', async () => {
  // A new version of a file lies beside the old one for a moment.
  const names = (await readdir(folder.path)).filter((name) => !name.endsWith('.new'))
  expect(names).toEqual(expect.arrayContaining(['dynamodb.sqlite', 'issuer.json', 'queues', 'sealing-key']))
  for (const name of names)
    expect({ name, mode: (await stat(join(folder.path, name))).mode & 0o077 }).toEqual({ name, mode: 0 })
})

test('it ends with exit code 0 when it is stopped', async () => {
  expect(await stage.stop()).toBe(0)
})
