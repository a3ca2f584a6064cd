/** A receiver with faults on demand: an HTTP(S) server on loopback that answers or fails as the test says. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Certificate } from './certificate.ts'

/** A proper answer, late if wanted. */
interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
  /** ms */
  after?: number
  /** It is not sent before this promise settles. */
  until?: Promise<unknown>
}

type Fault =
  | 'reset before the body was read'
  | 'reset after the body was read'
  | 'stall before the headers'
  | 'stall amid the body'
  | 'reset amid the body'
  | 'close amid the body'
  | 'endless body'
  | 'garbage'

export type Behaviour = Answer | Fault

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Status of the answer; absent for a fault. */
  status?: number
}

export interface FaultyReceiver {
  /** Base URL, without a trailing slash. */
  url: string
  port: number
  /** Requests whose body was read, oldest first. */
  received: Received[]
  /** How many connections were made. */
  connections(): number
  /** How many of them are still open. */
  open(): number
  /** Answers to the next requests, one each; the last one stays. */
  behave(...behaviours: [Behaviour, ...Behaviour[]]): void
  stop(): Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

const answer = async (response: ServerResponse, { status, headers, body, after, until }: Answer): Promise<void> => {
  await until
  if (after !== undefined) await delay(after, undefined, { ref: false })
  response.writeHead(status, headers).end(body)
}

const writeForever = (response: ServerResponse): void => {
  response.writeHead(200)
  const chunk = Buffer.alloc(16 * 1024, 'x')
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

const fail = (fault: Fault, { socket }: IncomingMessage, response: ServerResponse): void => {
  if (fault === 'reset after the body was read') socket.resetAndDestroy()
  if (fault === 'endless body') writeForever(response)
  if (fault === 'garbage') socket.end('this is not HTTP\r\n\r\n')
  if (fault.endsWith('amid the body'))
    response.writeHead(200, { 'content-length': '1000' }).write('the first part', () => {
      if (fault === 'reset amid the body') socket.resetAndDestroy()
      if (fault === 'close amid the body') socket.end()
    })
}

/**
 * Starts a receiver that answers 200; over TLS when a certificate is given; on the port where one was before, or on a
 * free one.
 */
export const startFaultyReceiver = async (certificate?: Certificate, onPort = 0): Promise<FaultyReceiver> => {
  const received: Received[] = []
  const sockets: Socket[] = []
  let behaviours: Behaviour[] = [{ status: 200 }]
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [behaviour = { status: 200 }] = behaviours.length > 1 ? behaviours.splice(0, 1) : behaviours
    if (behaviour === 'reset before the body was read') return void request.socket.resetAndDestroy()
    const met = typeof behaviour === 'string' ? {} : { status: behaviour.status }
    received.push({ path: request.url ?? '', headers: request.headers, body: await readBody(request), ...met })
    if (typeof behaviour === 'string') fail(behaviour, request, response)
    else await answer(response, behaviour)
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch(() => request.socket.destroy())
  }
  const server = certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener)
  server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  // A client that refuses the certificate.
  server.on('tlsClientError', () => {})
  server.listen(onPort, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    received,
    connections: () => sockets.length,
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    behave: (...next) => {
      behaviours = next
    },
    stop: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
