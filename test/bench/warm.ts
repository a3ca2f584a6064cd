/** How long a warm request takes through the local stage: over HTTP, authorizer, pipeline, table and all. */
import { setTimeout as delay } from 'node:timers/promises'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import type { GatewayCall } from '../support/bench/gateway-event.ts'
import { quantile, rounded } from '../support/bench/quantile.ts'
import { type CallOperation, playScene, type Scene, startCapturingWallet } from '../support/bench/scene.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import { offerBody, requestBody } from '../support/scenes.ts'
import { type RunningStage, startStage } from '../support/stage/stage.ts'

const WARM_UP = 30
const REQUESTS = 300

/** On a machine that is busy with something else there are fewer requests: this is for one operation, in ms. */
const MAX_MS = 8_000

/** How to tell that the stage is idle. */
const PINGS = 20
const PING_EVERY_MS = 10
const MAX_REST_MS = 6_000

/** Operation 3 shows a page of this many. */
const PAGE = '20'

/** `tenant-get-basic-messages` of `tenant_GetBasicMessages`. */
const kebab = (operationId: string): string =>
  operationId
    .replaceAll('_', '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()

const ROUTES = new Map(OPERATIONS.map(({ operationId, ...contract }) => [kebab(operationId), contract]))

interface Prepared {
  url: string
  init: RequestInit
}

/** The request that the gateway makes this call of. */
const toRequest = async (stage: RunningStage, name: string, call: GatewayCall): Promise<Prepared> => {
  const route = ROUTES.get(name)
  if (route === undefined) throw new Error(`no operation ${name}`)
  const { path = {}, query = {}, body, caller = {}, headers } = call
  const { tenantId } = caller
  const role = tenantId === undefined ? 'RestRootAgentWithTenants' : 'RestTenantAgent'
  const template = path.tenantId !== undefined ? (route.tenantPath ?? route.path) : route.path
  const filled = template.replace(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(path[parameter] ?? ''))
  const init: RequestInit = {
    method: route.method,
    headers: {
      authorization: `Bearer ${await stage.token({ role, tenantId })}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  }
  if (body !== undefined) init.body = JSON.stringify(body)
  return { url: `${stage.baseUrl}${filled}?${new URLSearchParams(query)}`, init }
}

const send = async ({ url, init }: Prepared): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

interface Measured {
  name: string
  call(request: number): Promise<GatewayCall> | GatewayCall
}

/** The readers first: messages that the others leave for the wallet keep the stage busy for a while. */
const operations = (scene: Scene, did: string, capture: (id: string) => Promise<unknown>): Measured[] => {
  const { caller, connection, credential, proof } = scene
  const path = { connectionId: connection.id }
  return [
    { name: 'get-health', call: () => ({}) },
    { name: 'get-open-api', call: () => ({}) },
    { name: 'get-credential-by-id', call: () => ({ caller, path: { credentialRecordId: credential.id } }) },
    { name: 'get-connection-by-id', call: () => ({ caller, path }) },
    { name: 'get-connections', call: () => ({ caller }) },
    {
      name: 'tenant-get-basic-messages',
      call: () => ({ caller, path: { ...path, ...caller }, query: { limit: PAGE } }),
    },
    { name: 'tenant-proof-form-data', call: () => ({ caller, path: { ...caller, proofRecordId: proof.id } }) },
    { name: 'create-tenant', call: () => ({ body: { config: { label: 'Acme' } } }) },
    {
      name: 'register-webhook',
      call: (n) => ({ path: { orgId: `org-${n}` }, body: { webhookUrl: 'https://hooks.example.org/agent' } }),
    },
    {
      name: 'register-notification-webhook',
      call: (n) => ({ body: { orgId: `org-${n}`, notificationWebhook: 'https://hooks.example.org/agent' } }),
    },
    { name: 'create-request', call: () => ({ caller, body: requestBody }) },
    {
      name: 'receive-didcomm',
      call: async () => ({ caller, path: caller, body: await capture(scene.walletConnectionId) }),
    },
    { name: 'create-offer', call: () => ({ caller, body: offerBody(connection.id, did) }) },
    { name: 'send-message', call: () => ({ caller, path, body: { content: 'hello' } }) },
  ]
}

const pingStage = async (stage: RunningStage): Promise<number> => {
  const startedAt = performance.now()
  await send({ url: `${stage.baseUrl}/health`, init: {} })
  return performance.now() - startedAt
}

/** Slowest tenth of a row of pings, in ms. */
const pings = async (stage: RunningStage): Promise<number> => {
  const samples: number[] = []
  for (let ping = 0; ping < PINGS; ping++) {
    await delay(PING_EVERY_MS)
    samples.push(await pingStage(stage))
  }
  return quantile(samples, 0.9)
}

/**
 * Work that one operation leaves to the stream, the queues and their functions would count for the next one: they share a
 * process.
 */
const rest = async (stage: RunningStage, quietMs: number): Promise<void> => {
  const deadline = Date.now() + MAX_REST_MS
  while ((await pings(stage)) > quietMs * 2 && Date.now() < deadline);
}

/** Milliseconds of each request, from its first byte out to the last byte in. */
const measure = async (stage: RunningStage, { name, call }: Measured): Promise<Cell[]> => {
  const samples: number[] = []
  const end = performance.now() + MAX_MS
  for (let request = 0; request < WARM_UP + REQUESTS && performance.now() < end; request++) {
    const prepared = await toRequest(stage, name, await call(request))
    const startedAt = performance.now()
    const { status, body } = await send(prepared)
    if (request >= WARM_UP) samples.push(performance.now() - startedAt)
    if (status >= 300) throw new Error(`${name} answers ${status}: ${JSON.stringify(body)}`)
  }
  return [name, samples.length, rounded(quantile(samples, 0.5)), rounded(quantile(samples, 0.99))]
}

export const measureWarm = async (): Promise<void> => {
  const stage = await startStage({ env: { LOG_LEVEL: 'error' } })
  const { wallet, capture } = await startCapturingWallet()
  try {
    const call: CallOperation = async (name, given) => send(await toRequest(stage, name, given))
    const scene = await playScene(call, wallet)
    // Later messages wait in the outbox: the wallet's work would be measured too.
    await wallet.pause()
    const rows: Cell[][] = []
    await delay(PING_EVERY_MS * PINGS)
    const quietMs = await pings(stage)
    for (const one of operations(scene, wallet.did, capture)) {
      await rest(stage, quietMs)
      rows.push(await measure(stage, one))
    }
    printTable(
      'Warm requests through the local stage, one after the other',
      ['operation', 'requests', 'p50, ms', 'p99, ms'],
      rows,
    )
  } finally {
    await wallet.stop()
    await stage.stop()
  }
}
