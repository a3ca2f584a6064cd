/** Strangers are cheap: whatever they post costs at most two requests to the table, and little time of the processor. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BundledStage, startBundledStage } from '../support/bench/bundled-stage.ts'
import { type Unpacked, unpackFunctions } from '../support/bench/bundles.ts'
import { JUNK } from '../support/wallets/junk-envelopes.ts'
import {
  inviteUnknownSenders,
  RECEIVING_FUNCTIONS,
  type ReceivingProcess,
  startReceiving,
} from '../support/wallets/receiving-process.ts'

const MAX_REQUESTS = 2
/** Seven times what `npm run bench` measures, so that a slow machine makes no difference. */
const MAX_CPU_MS = 100
/** The first ones pay for what is compiled then; on a busy machine some are slow. */
const MAX_ROUNDS = 15

let unpacked: Unpacked
let stage: BundledStage
let invited: Awaited<ReturnType<typeof inviteUnknownSenders>>
let door: ReceivingProcess

/** In a process that knows nothing yet. */
const newDoor = (tenantId: string): Promise<ReceivingProcess> =>
  startReceiving(unpacked.functions, stage.environment, tenantId)

beforeAll(async () => {
  unpacked = await unpackFunctions(RECEIVING_FUNCTIONS)
  stage = await startBundledStage(unpacked.functions)
  invited = await inviteUnknownSenders(stage)
  door = await newDoor(invited.tenantId)
  // It reads the layout's version of the table, once for a process.
  await door.post(JUNK['16 unknown recipients']?.(invited.kid) ?? '')
})
afterAll(async () => {
  await door.stop()
  await stage.stop()
  await unpacked.remove()
})

describe(`costs at most ${MAX_REQUESTS} requests and ${MAX_CPU_MS} ms of processor time`, () => {
  test.each(Object.keys(JUNK))('%s', async (shape) => {
    const body = JUNK[shape]?.(invited.kid) ?? ''
    let cpuMs = Number.POSITIVE_INFINITY
    for (let round = 0; round < MAX_ROUNDS && cpuMs > MAX_CPU_MS; round++) {
      const cost = await door.post(body)
      expect(cost.status).toBeGreaterThanOrEqual(400)
      expect(cost.status).toBeLessThan(500)
      expect(cost.requests.length, cost.requests.join()).toBeLessThanOrEqual(MAX_REQUESTS)
      cpuMs = Math.min(cpuMs, cost.cpuMs)
    }
    expect(cpuMs).toBeLessThanOrEqual(MAX_CPU_MS)
  })
})

describe('costs at most two requests, and one for the version of the layout, in a process that knows nothing yet', () => {
  test.each<[string, string[]]>([
    ['16 unknown recipients', ['GetItem', 'BatchGetItem']],
    ['our key and noise', ['GetItem', 'GetItem']],
    ['our key after 15 others', ['GetItem', 'BatchGetItem']],
    ['a message that is null', ['GetItem', 'GetItem']],
  ])('%s', async (shape, requests) => {
    const cold = await newDoor(invited.tenantId)
    expect(await cold.post(JUNK[shape]?.(invited.kid) ?? '')).toMatchObject({
      status: 400,
      requests: ['GetItem', ...requests],
    })
    await cold.stop()
  })

  test('a tenant that does not exist', async () => {
    const cold = await newDoor('nobody')
    const body = JUNK['16 unknown recipients']?.(invited.kid) ?? ''
    expect(await cold.post(body)).toMatchObject({ status: 404, requests: ['GetItem', 'GetItem'] })
    await cold.stop()
  })
})

describe('costs no request at all, because of its header', () => {
  /** Nothing is cached by these requests, so one process serves for all. */
  let cold: ReceivingProcess

  beforeAll(async () => {
    cold = await newDoor(invited.tenantId)
  })
  afterAll(() => cold.stop())

  test.each([
    'an alg of none',
    'no recipients',
    '17 unknown recipients',
    '1,800 unknown recipients',
    'the same recipient twice',
    'a kid without end',
    'a header without end',
    'parts without text',
  ])('%s', async (shape) => {
    expect(await cold.post(JUNK[shape]?.(invited.kid) ?? '')).toMatchObject({ status: 400, requests: [] })
  })
})
