/**
 * An indy-vdr-proxy with a ledger in memory behind it, over HTTP: its routes and answers, an unknown object's `seqNo: null` included.
 * https://github.com/hyperledger/indy-vdr: indy-vdr-proxy/src/handlers.rs
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { IndyLedger, Rejected, type WriteRequest, writtenReply } from './indy-ledger.ts'

export interface IndyProxy {
  /** For INDY_PROXIES. */
  address: string
  /** Requests so far: method and path. */
  asked: string[]
  /** Writes an object as an operator does: it is on the ledger since `time` (seconds since the epoch). */
  write: IndyLedger['write']
  /** Answers from now on in place of the proxy, until called without an argument: for tests of a broken or lying proxy. */
  answerWith(answer?: (path: string, honest: () => unknown, response: ServerResponse) => unknown): void
  stop(): Promise<void>
}

/** The DID as which the proxy reads, without a signature. */
const READER = 'LibindyDid111111111111'

class Status extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const operationOf = (route: string, id: string, now: number): Record<string, unknown> | undefined => {
  const parts = id.split(':')
  const [did, , , number, tag] = parts
  if (route === 'schema') {
    if (parts.length !== 4) throw new Status(400, `SchemaId validation failed: ${id}, doesn't match pattern`)
    return { type: '107', dest: did, data: { name: parts[2], version: parts[3] } }
  }
  if (route === 'cred_def') {
    if (parts.length !== 5)
      throw new Status(400, `Credential Definition Id validation failed: ${id}, doesn't match pattern`)
    return { type: '108', origin: did, ref: Number(number), signature_type: parts[2], tag }
  }
  if (!/^.+:4:.+:.+:.+$/.test(id))
    throw new Status(400, `Revocation Registry Id validation failed: ${id}, doesn't match pattern`)
  if (route === 'rev_reg_def') return { type: '115', id }
  if (route === 'rev_reg') return { type: '116', revocRegDefId: id, timestamp: now }
  return { type: '117', revocRegDefId: id, to: now }
}

const ROUTES = new Set(['schema', 'cred_def', 'rev_reg_def', 'rev_reg', 'rev_reg_delta'])

const read = (ledger: IndyLedger, parts: string[]): unknown => {
  const [route = '', first, second] = parts
  const of = { identifier: READER, reqId: Date.now() }
  if (route === 'submit') throw new Status(405, '405 Method Not Allowed')
  if (route === 'txn' && first !== undefined && /^-?\d+$/.test(second ?? '')) {
    const ledgerId = { POOL: 0, DOMAIN: 1, CONFIG: 2 }[first] ?? Number(first)
    return { op: 'REPLY', result: ledger.read({ ...of, operation: { type: '3', ledgerId, data: Number(second) } }) }
  }
  const operation =
    ROUTES.has(route) && first !== undefined ? operationOf(route, first, Math.floor(Date.now() / 1000)) : undefined
  if (operation === undefined) throw new Status(404, '404 Not Found')
  return { op: 'REPLY', result: ledger.read({ ...of, operation }) }
}

const submit = (ledger: IndyLedger, body: string): unknown => {
  const request = JSON.parse(body) as WriteRequest & { protocolVersion?: number; reqId?: number }
  const { protocolVersion, reqId, identifier, operation } = request
  if (protocolVersion !== 2) throw new Status(400, 'Invalid request JSON: protocolVersion not found')
  // indy-vdr's are nanoseconds, beyond what JavaScript counts exactly.
  if (!Number.isInteger(reqId) || reqId === undefined) throw new Status(400, 'Invalid request JSON: reqId not found')
  if (typeof identifier !== 'string') throw new Status(400, 'Invalid request JSON: missing identifier DID')
  if (typeof operation?.type !== 'string') throw new Status(400, 'No operation type in request')
  const isWrite = ['101', '102', '113', '114'].includes(operation.type)
  return { op: 'REPLY', result: isWrite ? writtenReply(ledger.write(request)) : ledger.read({ ...request, reqId }) }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Starts one on a port that is free. */
export const startIndyProxy = async (ledger = new IndyLedger()): Promise<IndyProxy> => {
  const asked: string[] = []
  let instead: Parameters<IndyProxy['answerWith']>[0]

  const honest = (method: string, path: string, body: string): unknown => {
    // The path is split before it is decoded, so an id may hold a slash that is encoded.
    const parts = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent)
    if (method === 'POST' && parts[0] === 'submit') return submit(ledger, body)
    if (method !== 'GET') throw new Status(405, '405 Method Not Allowed')
    return read(ledger, parts)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request
    asked.push(`${method} ${url}`)
    const body = await bodyOf(request)
    try {
      const own = () => honest(method, new URL(url, 'http://localhost').pathname, body)
      const reply = instead === undefined ? own() : instead(url, own, response)
      if (reply === undefined) return
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(typeof reply === 'string' ? reply : JSON.stringify(reply))
    } catch (error) {
      const status = error instanceof Status ? error.status : error instanceof Rejected ? 400 : 500
      response.writeHead(status, { 'content-type': 'application/json' }).end(String(error))
    }
  }

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    write: (request, time) => ledger.write(request, time),
    answerWith: (other) => (instead = other),
    stop,
  }
}
