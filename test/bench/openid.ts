/** What a request of OpenID4VP and its answer cost: a cold start, a warm call, a bundle. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import { type BundledStage, startBundledStage } from '../support/bench/bundled-stage.ts'
import { sizeOf, type Unpacked, unpackFunctions } from '../support/bench/bundles.ts'
import { startFunction } from '../support/bench/function-process.ts'
import { gatewayEvent } from '../support/bench/gateway-event.ts'
import { median, rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import { rawJwt, seconds } from '../support/openid/jwts.ts'
import {
  type Authority,
  bindTo,
  encrypted,
  issueTo,
  newAuthority,
  newHolder,
  type ReadRequest,
  useVerifier,
  VCT,
} from '../support/openid/verification.ts'
import { exportOf, functionOf } from '../support/source/operation-functions.ts'
import { HTTPS_URL } from '../support/stage/at-https.ts'
import type { Call, InProcessStage } from '../support/stage/in-process-stage.ts'

const WARM_UP = 200
const ROUNDS = 100
const STARTS = 9

/** The function that only reads the table. */
const READS = 'get-verification-session-by-id'

/** Ms of a processor: warm, and cold beyond those of the function that only reads. */
const MEASURED: Record<string, { warm?: number; cold: number }> = {
  'create-presentation-request': { cold: 30 },
  'get-request-object': { warm: 2, cold: 30 },
  'post-request-object': { warm: 2, cold: 30 },
  'receive-presentation': { warm: 8, cold: 40 },
  'complete-verification-session': { cold: 30 },
  'show-presentation-request': { cold: 30 },
}
const MAX_KIB = 450

const MADE_BY = ['create-tenant', 'create-certificate', 'create-verifier', 'create-trusted-issuer']

/** The operations as useVerifier calls them. */
const callsOf = (stage: BundledStage) => ({
  call: (operation: string, { headers: { 'content-type': type } = {}, ...call }: Call = {}) =>
    stage.call(functionOf(operation), { ...call, ...(type !== undefined && { headers: { 'Content-Type': type } }) }),
})

/** A host of a list that nobody may cache, as long as one of 100,000 credentials. */
const startListHost = async ({ leaf, leafKey }: Authority) => {
  const lst = deflateSync(Buffer.alloc(12_500)).toString('base64url')
  const server = createServer((_, response) =>
    response.end(
      rawJwt(
        leafKey,
        { alg: 'ES256', typ: 'statuslist+jwt', x5c: [leaf] },
        { sub: uri, iat: seconds(), status_list: { bits: 1, lst } },
      ),
    ),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`
  return { uri, stop: () => server.close() }
}

/** Makes the next call of each function. */
const prepareCalls = async (stage: BundledStage, authority: Authority, listUri: string) => {
  const verifier = await useVerifier(callsOf(stage) as InProcessStage)
  await verifier.done('createTrustedIssuer', { body: { certificates: [authority.root], vcts: [VCT] } })
  const holder = newHolder()
  const status = { status_list: { uri: listUri, idx: 4711 } }
  const answerTo = async (request: ReadRequest) => {
    const presentation = bindTo(holder, await issueTo(holder, authority, { status }), request)
    return encrypted(request, { vp_token: { identity: [presentation] }, state: request.payload.state })
  }
  const { caller, verifierId } = verifier
  const pathOf = ({ session }: ReadRequest) => ({ verifierId, verificationSessionId: session.id })
  const formCall = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
  const redirect = { redirectUri: 'https://shop.example/back' }
  const byName: Record<string, () => Promise<object>> = {
    [READS]: async () => ({ caller, path: pathOf(await verifier.request()) }),
    'create-presentation-request': async () => stage.events.get('create-presentation-request') as object,
    'get-request-object': async () => ({ path: pathOf(await verifier.request()) }),
    'post-request-object': async () => ({
      ...formCall,
      body: 'wallet_nonce=a',
      path: pathOf(await verifier.request()),
    }),
    'receive-presentation': async () => {
      const request = await verifier.request()
      const body = new URLSearchParams(await answerTo(request)).toString()
      return { ...formCall, path: { verifierId }, query: { session: request.session.id }, body }
    },
    'complete-verification-session': async () => {
      const request = await verifier.request(redirect)
      const { body } = await verifier.post(request.session, await answerTo(request))
      return { caller, path: pathOf(request), body: { responseCode: body.redirect_uri.split('response_code=')[1] } }
    },
    'show-presentation-request': async () => ({
      path: pathOf(await verifier.request()),
      headers: { Accept: 'text/html' },
    }),
  }
  return async (name: string): Promise<object> => {
    const call = await byName[name]?.()
    return call !== undefined && 'httpMethod' in call ? call : gatewayEvent(call)
  }
}

const assertDone = (name: string, reply: unknown): void => {
  const { statusCode, body } = reply as { statusCode: number; body: string }
  if (statusCode >= 300) throw new Error(`${name} answers ${statusCode}: ${body}`)
}

type NextEvent = Awaited<ReturnType<typeof prepareCalls>>

const warmMs = async (stage: BundledStage, name: string, next: NextEvent): Promise<number> => {
  const samples: number[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const event = await next(name)
    const before = stage.cpuMs(name)
    assertDone(name, await stage.invoke(name, event))
    if (round >= WARM_UP) samples.push(stage.cpuMs(name) - before)
  }
  return median(samples)
}

/** In turns, so that what else the machine does falls on all alike; the first turn fills the caches. */
const coldMs = async ({ functions }: Unpacked, stage: BundledStage, next: NextEvent) => {
  const starts = new Map([READS, ...Object.keys(MEASURED)].map((name): [string, number[]] => [name, []]))
  for (let turn = 0; turn <= STARTS; turn++)
    for (const [name, samples] of starts) {
      const event = await next(name)
      const running = await startFunction(functions.get(name)?.module ?? '', exportOf(name), stage.environment)
      assertDone(name, await running.invoke(event))
      if (turn > 0) samples.push(running.cpuMs())
      await running.stop()
    }
  return new Map([...starts].map(([name, samples]) => [name, median(samples)]))
}

export const measureOpenid = async (): Promise<void> => {
  const names = [READS, ...Object.keys(MEASURED)]
  const unpacked = await unpackFunctions([...names, ...MADE_BY], MADE_BY)
  const stage = await startBundledStage(unpacked.functions, { PUBLIC_URL: HTTPS_URL })
  Object.assign(process.env, stage.environment)
  const authority = await newAuthority('Issuer')
  const list = await startListHost(authority)
  try {
    const next = await prepareCalls(stage, authority, list.uri)
    const warm = new Map<string, number>()
    for (const name of names) warm.set(name, await warmMs(stage, name, next))
    const cold = await coldMs(unpacked, stage, next)
    const base = cold.get(READS) ?? Number.NaN
    const rows = names.map((name): Cell[] => {
      const [warmed = Number.NaN, started = Number.NaN] = [warm.get(name), cold.get(name)]
      const kib = sizeOf(unpacked.functions.get(name)?.files ?? {}) / 1024
      const { warm: maxWarm = Infinity, cold: maxCold = Infinity } = MEASURED[name] ?? {}
      const isMet = warmed <= maxWarm && started - base <= maxCold && kib <= MAX_KIB
      return [
        name,
        rounded(warmed),
        Math.round(started),
        Math.round(started - base),
        Math.round(kib),
        isMet ? 'yes' : 'no',
      ]
    })
    printTable(
      `OpenID4VP: ms of a processor, medians of ${ROUNDS} warm calls and of ${STARTS} cold starts`,
      ['function', 'warm', 'cold', 'beyond the first', 'KiB', 'within its bounds'],
      rows,
      [
        'The answer has one SD-JWT VC, encrypted, and its status list of 100,000 credentials, which is fetched each time.',
        `Bounds: warm 2 of the request object, 8 of the answer; cold 30 and 40 beyond a function that only reads the table; ${MAX_KIB} KiB.`,
      ],
    )
  } finally {
    list.stop()
    await stage.stop()
    await unpacked.remove()
  }
}
