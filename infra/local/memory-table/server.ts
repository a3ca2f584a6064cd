/** Serves the table in memory on 127.0.0.1, in the process of the local stage. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { LOOPBACK } from '../port.ts'
import { MemoryDatabase } from './memory-database.ts'

/** Starts the server without a table, on a free port. */
export const serveMemoryDatabase = async (): Promise<{ endpoint: string; stop(): Promise<void> }> => {
  const { respond } = new MemoryDatabase()
  const server = createServer((request, response) => {
    const handle = async () => {
      const { status, body } = await respond(String(request.headers['x-amz-target']), await text(request))
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body)
    }
    // The client has closed the connection.
    handle().catch(() => response.destroy())
  })
  // An idle connection would be closed while its client sends the next request.
  server.keepAliveTimeout = 0
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  return {
    endpoint: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
