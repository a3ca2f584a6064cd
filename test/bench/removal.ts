/** What the removal of a tenant costs: of many connections, each with an invitation and messages. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { printTable } from '../support/bench/table.ts'
import { startInProcessStage } from '../support/stage/in-process-stage.ts'
import { ConsumedUnits } from '../support/table/consumed-units.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { peerDidOf } from '../wallet/handshake-requests.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { Wallet } from '../wallet/wallet.ts'
import '../support/environment.ts'

const CONNECTIONS = Number(process.env.CONNECTIONS ?? 1_000)
const MESSAGES = 3

/** More than the pause before the second pass, in ms. */
const PAUSE = 6 * 60_000

export const measureRemoval = async (): Promise<void> => {
  const stage = await startInProcessStage({ embedded: true })
  const consumed = new ConsumedUnits(stage.serviceClient)
  const requests = new StoreFaults(stage.serviceClient)
  const { runJob } = await import('../../lib/jobs/run.ts')
  const { jobItem } = await import('../../lib/jobs/job.ts')
  const { tenantRemovalJob } = await import('../../lib/removal/tenant-job.ts')
  const { readItem } = await import('../../lib/store/item.ts')
  // It accepts everything.
  const server = createServer((request, response) => request.resume().on('end', () => response.end())).listen(0)
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const wallet = await Wallet.start({ endpoint: false })
  const raw = new RawMessages(wallet)
  const handshake = new RawHandshake(wallet, raw)
  const call = async (...[operation, request]: Parameters<typeof stage.call>) => {
    const { status, body } = await stage.call(operation, request)
    if (status > 299) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const { id: tenant } = await call('createTenant', { body: { config: { label: 'Acme' } } })
  const caller = { tenantId: tenant }
  for (let number = 0; number < CONNECTIONS; number++) {
    const { invitation, outOfBandRecord } = await call('createInvitation', { caller, body: {} })
    const senderKey = await handshake.newKey()
    const { message } = await handshake.request(invitation, { did: peerDidOf([senderKey], endpoint), senderKey })
    const ping = { '@type': 'https://didcomm.org/trust_ping/1.0/ping', '@id': crypto.randomUUID() }
    await raw.send({ ...ping, response_requested: false }, await handshake.complete(message, senderKey))
    const [{ id: connectionId }] = await call('getConnections', { caller, query: { outOfBandId: outOfBandRecord.id } })
    for (let sent = 0; sent < MESSAGES; sent++)
      await call('sendMessage', { caller, path: { connectionId }, body: { content: `message ${sent}` } })
    await stage.line.settle()
  }
  await call('deleteTenant', { path: caller })
  const [job, now] = [{ tenant, type: 'tenant-removal', id: tenant } as const, Date.now]
  let [runs, ms] = [0, 0]
  const before = requests.commands.length
  const { units } = await consumed.during(async () => {
    while ((await readItem(jobItem, job)) !== undefined) {
      Date.now = () => now() + runs * PAUSE
      const start = performance.now()
      await stage.line.guard.run('removeOwned', () => runJob(job, tenantRemovalJob))
      ms += performance.now() - start
      runs++
    }
  })
  Date.now = now
  printTable(
    `removal of a tenant with ${CONNECTIONS} connections, each with an invitation and ${MESSAGES} messages`,
    ['read units', 'write units', 'requests', 'runs', 'seconds'],
    [[units.read, units.write, requests.commands.length - before, runs, Math.round(ms / 1_000)]],
  )
  await wallet.stop()
  server.close()
  await stage.stop()
}
