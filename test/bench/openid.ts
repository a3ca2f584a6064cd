/** What requests of OpenID4VP and OpenID4VCI cost: a cold start, a warm call, a bundle. */
import { type BundledStage, startBundledStage } from '../support/bench/bundled-stage.ts'
import { sizeOf, type Unpacked, unpackFunctions } from '../support/bench/bundles.ts'
import { startFunction } from '../support/bench/function-process.ts'
import { gatewayEvent } from '../support/bench/gateway-event.ts'
import { issuanceCalls } from '../support/bench/issuance-calls.ts'
import type { MeasuredCall, MeasuredFlow } from '../support/bench/openid-calls.ts'
import { presentationCalls } from '../support/bench/presentation-calls.ts'
import { median, rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import { exportOf } from '../support/source/operation-functions.ts'
import { HTTPS_URL } from '../support/stage/at-https.ts'

const WARM_UP = 200
const ROUNDS = 100
const STARTS = 9

/** The function that only reads the table. */
const READS = 'get-verification-session-by-id'
const MAX_KIB = 450

const ALONE = [
  ...[READS, 'create-presentation-request', 'get-request-object', 'post-request-object', 'receive-presentation'],
  ...['complete-verification-session', 'show-presentation-request', 'create-credential-offer', 'get-credential-offer'],
  ...['show-credential-offer', 'get-well-known', 'request-token', 'request-nonce', 'request-credential'],
  ...['receive-notification', 'revoke-issuance-session', 'get-status-list', 'get-issuer-keys'],
]
/** What is called beside them. */
const TOGETHER = [
  ...['create-tenant', 'create-certificate', 'create-verifier', 'create-trusted-issuer', 'create-issuer'],
  'get-issuance-session-by-id',
]

const eventOf = async ({ next }: MeasuredCall): Promise<object> => {
  const call = await next()
  return 'httpMethod' in call ? call : gatewayEvent(call)
}

const assertDone = (name: string, reply: unknown): void => {
  const { statusCode, body } = reply as { statusCode: number; body: string }
  if (statusCode >= 300) throw new Error(`${name} answers ${statusCode}: ${body}`)
}

const warmMs = async (stage: BundledStage, call: MeasuredCall): Promise<number> => {
  const { name } = call
  const samples: number[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const event = await eventOf(call)
    const before = stage.cpuMs(name)
    assertDone(name, await stage.invoke(name, event))
    if (round >= WARM_UP) samples.push(stage.cpuMs(name) - before)
  }
  return median(samples)
}

/** In turns, so that what else the machine does falls on all alike; the first turn fills the caches. */
const coldMs = async ({ functions }: Unpacked, stage: BundledStage, calls: readonly MeasuredCall[]) => {
  const starts = new Map(calls.map((call): [MeasuredCall, number[]] => [call, []]))
  for (let turn = 0; turn <= STARTS; turn++)
    for (const [call, samples] of starts) {
      const { name } = call
      const event = await eventOf(call)
      const running = await startFunction(functions.get(name)?.module ?? '', exportOf(name), stage.environment)
      assertDone(name, await running.invoke(event))
      if (turn > 0) samples.push(running.cpuMs())
      await running.stop()
    }
  return new Map([...starts].map(([call, samples]) => [call, median(samples)]))
}

const isCalledWarm = ({ name, most }: MeasuredCall) => name === READS || most.warm !== undefined
const isStarted = ({ name, most }: MeasuredCall) => name === READS || most.cold !== undefined

export const measureOpenid = async (): Promise<void> => {
  const unpacked = await unpackFunctions([...ALONE, ...TOGETHER], TOGETHER)
  const stage = await startBundledStage(unpacked.functions, { PUBLIC_URL: HTTPS_URL })
  Object.assign(process.env, stage.environment)
  const flows: MeasuredFlow[] = []
  try {
    for (const flow of [presentationCalls, issuanceCalls]) flows.push(await flow(stage))
    const calls = flows.flatMap((flow) => flow.calls)
    const warm = new Map<MeasuredCall, number>()
    for (const call of calls.filter(isCalledWarm)) warm.set(call, await warmMs(stage, call))
    const cold = await coldMs(unpacked, stage, calls.filter(isStarted))
    const base = [...cold].find(([{ name }]) => name === READS)?.[1] ?? Number.NaN
    const rows = calls.map((call): Cell[] => {
      const { name, what, most } = call
      const [warmed, started] = [warm.get(call), cold.get(call)]
      const beyond = started === undefined ? undefined : started - base
      const kib = sizeOf(unpacked.functions.get(name)?.files ?? {}) / 1024
      const isMet =
        (warmed ?? 0) <= (most.warm ?? Infinity) && (beyond ?? 0) <= (most.cold ?? Infinity) && kib <= MAX_KIB
      return [
        ...[what === undefined ? name : `${name}, ${what}`, warmed === undefined ? '' : rounded(warmed)],
        ...[started, beyond].map((ms) => (ms === undefined ? '' : Math.round(ms))),
        ...[Math.round(kib), isMet ? 'yes' : 'no'],
      ]
    })
    printTable(
      `OpenID4VP and OpenID4VCI: ms of a processor, medians of ${ROUNDS} warm calls and of ${STARTS} cold starts`,
      ['function', 'warm', 'cold', 'beyond the first', 'KiB', 'within its bounds'],
      rows,
      [
        'The answer has one SD-JWT VC, encrypted, and its status list of 100,000 credentials, which is fetched each time.',
        'Of the status list of the issuer 10,000 of 131,072 entries are revoked, and one more before each call.',
        'Bounds: warm 2 of request object and token, 8 of the answer, 4 of a credential and 15 of ten, 3 of a list;',
        `cold 40 of the answer and 30 of all others beyond a function that only reads the table; ${MAX_KIB} KiB.`,
      ],
    )
  } finally {
    for (const flow of flows) flow.stop()
    await stage.stop()
    await unpacked.remove()
  }
}
