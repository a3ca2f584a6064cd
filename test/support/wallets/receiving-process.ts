/** The endpoint for other agents as deployed: the bundled function, in a separate process, whose requests to the table are counted. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Kms } from '@credo-ts/core'
import { type BundledStage, toReply } from '../bench/bundled-stage.ts'
import type { UnpackedFunction } from '../bench/bundles.ts'
import { startFunction } from '../bench/function-process.ts'
import { gatewayEvent } from '../bench/gateway-event.ts'
import { requestBody } from '../scenes.ts'
import { exportOf } from '../source/operation-functions.ts'

const RECEIVE = 'receive-didcomm'

/** The functions that the stage needs. */
export const RECEIVING_FUNCTIONS = [RECEIVE, 'create-tenant', 'create-request', 'dispatch-changes']

export interface Cost {
  status: number
  /** Operations on the table, such as `GetItem`. */
  requests: string[]
  /** Processor time, in ms. */
  cpuMs: number
}

export interface ReceivingProcess {
  /** Posts a body, and returns its cost. */
  post(body: string): Promise<Cost>
  stop(): Promise<void>
}

/** Passes requests on to the table, and keeps their names. */
const countRequests = async (table: string) => {
  const requests: string[] = []
  const server = createServer((incoming, outgoing) => {
    requests.push(String(incoming.headers['x-amz-target']).replace(/^.*\./, ''))
    const passed = request(
      table,
      { method: incoming.method, headers: incoming.headers, path: incoming.url },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { requests, server, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Starts a process with empty caches. */
export const startReceiving = async (
  functions: Map<string, UnpackedFunction>,
  { DYNAMODB_ENDPOINT = '', ...environment }: Record<string, string>,
  tenantId: string,
): Promise<ReceivingProcess> => {
  const { module } = functions.get(RECEIVE) ?? { module: `no function ${RECEIVE}` }
  const { requests, server, endpoint } = await countRequests(DYNAMODB_ENDPOINT)
  const process = await startFunction(module, exportOf(RECEIVE), { ...environment, DYNAMODB_ENDPOINT: endpoint })
  return {
    post: async (body) => {
      requests.length = 0
      const before = process.cpuMs()
      const answer = await process.invoke(gatewayEvent({ path: { tenantId }, body }))
      return { status: toReply(answer).status, requests: [...requests], cpuMs: process.cpuMs() - before }
    },
    stop: async () => {
      await process.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A tenant, and the public key in its invitation. */
export const inviteUnknownSenders = async (stage: BundledStage): Promise<{ tenantId: string; kid: string }> => {
  const { body: tenant } = await stage.call('create-tenant', { body: { config: { label: 'Acme' } } })
  const caller = { tenantId: tenant.id }
  const { body: invitation } = await stage.call('create-request', { caller, body: requestBody })
  // did:peer:2: `.V` is a key for authentication.
  const [, fingerprint = ''] = /\.V(z6Mk\w+)/.exec(invitation.invitationDid) ?? []
  return { tenantId: tenant.id, kid: Kms.PublicJwk.fromFingerprint(fingerprint).legacyKeyId }
}
