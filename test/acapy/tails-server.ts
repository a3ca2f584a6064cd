/** Where an ACA-Py that issues puts its tails files, and others get them. https://github.com/bcgov/indy-tails-server */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

export interface TailsServer {
  url: string
  stop(): void
}

/** The file of a form, which it is sent in. */
const fileOf = async (request: IncomingMessage): Promise<Buffer> => {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(Readable.toWeb(request), { headers }).formData()
  const file = form.get('tails')
  if (!(file instanceof File)) throw new Error('there is no tails file in the form')
  return Buffer.from(await file.arrayBuffer())
}

export const startTailsServer = async (): Promise<TailsServer> => {
  const files = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    try {
      if (request.method === 'PUT') {
        files.set(path, await fileOf(request))
        response.writeHead(200).end()
      } else {
        const file = files.get(path)
        response.writeHead(file === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' }).end(file)
      }
    } catch (error) {
      response.writeHead(400).end(String(error))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
