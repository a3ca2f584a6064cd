/** A receiver of events that fails now and then, by lot: the same lots in each run. It notes every attempt. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Arrival {
  /** `webhook-id` */
  id: string
  recordId: string
  sequence: number
  /** It was answered with a 2xx. */
  taken: boolean
}

export interface FailingReceiver {
  url: string
  /** Oldest first. */
  arrivals: Arrival[]
  stop(): void
}

/** A number in [0, 1) that depends on nothing but its arguments. */
const lot = (...of: unknown[]): number =>
  createHash('sha256').update(JSON.stringify(of)).digest().readUInt32BE() / 2 ** 32

/** `share` of the attempts fail with a 500; each attempt at each event draws its own lot. */
export const startFailingReceiver = async (share: number): Promise<FailingReceiver> => {
  const arrivals: Arrival[] = []
  const attempts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { sequence, record } = JSON.parse(Buffer.concat(chunks).toString()).data
    const id = String(request.headers['webhook-id'])
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const taken = lot(record.id, sequence, attempt) >= share
    arrivals.push({ id, recordId: record.id, sequence, taken })
    response.writeHead(taken ? 204 : 500).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, arrivals, stop: () => server.close() }
}
