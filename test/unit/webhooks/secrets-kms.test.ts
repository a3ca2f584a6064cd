/** Signing secrets on AWS: the data key is created when the first secret is sealed, and decrypted only for signing. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { laneAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { decryptSecrets } from '../../../lib/webhooks/secrets.ts'
import { stopAtEnd } from '../../support/stop-at-end.ts'
import { startKms } from '../../support/table/kms-server.ts'
import { startFaultyReceiver } from '../../support/webhooks/faulty-receiver.ts'
import {
  eventFor,
  type RegisteredEndpoint,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
  verified,
} from '../../support/webhooks/webhook-scene.ts'
import { nameQueues } from '../outbox/sent-wake-ups.ts'
import { useTable } from '../store/use-table.ts'

const KEY_ID = 'alias/serverless-agent-test'

let endpoint: RegisteredEndpoint

const kms = await stopAtEnd(startKms(KEY_ID))
vi.stubEnv('SEALING_KEY', undefined)
vi.stubEnv('KMS_KEY_ID', KEY_ID)
vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.url)
nameQueues()
const table = await useTable({ check: false })
const receiver = await stopAtEnd(startFaultyReceiver())
beforeEach(async () => {
  kms.refuse(undefined)
  kms.calls.length = 0
  endpoint = await registerAt(`${receiver.url}/hook`)
})

const actions = () => kms.calls.map(({ action }) => action.replace('TrentService.', ''))

/** One delivery of a lane, by a process that knows nothing yet. */
const deliver = async (lane: string): Promise<void> => {
  await newProcess()
  const { watchQueues } = await import('../outbox/sent-wake-ups.ts')
  watchQueues()
  const { deliverLane } = await import('../../../lib/outbox/deliver-lane.ts')
  const { eventLaneContents: open } = await import('../../../lib/webhooks/event-lane.ts')
  const surroundings = {
    now: Date.now,
    random: Math.random,
    newId: randomUUID,
    pause: async () => {},
    after: () => () => {},
    startUntil: Date.now() + 60_000,
    contentsOf: (name: string) => open(name),
  }
  await deliverLane({ lane, reason: { kind: 'committed' } }, { ...surroundings, queue: 'slow' })
}

const newProcess = async () => {
  vi.resetModules()
  kms.calls.length = 0
  return import('../../../lib/webhooks/secrets.ts')
}

test('a secret is sealed with a data key of its organization, and signs', async () => {
  expect(actions()).toEqual(['GenerateDataKey'])
  await deliver(await storeEvent(eventFor(endpoint)))
  const [request] = receiver.received
  if (request === undefined) throw new Error('nothing has arrived')
  expect(() => verified(endpoint.secret, request)).not.toThrow()
})

test('a process that knows no data key has it decrypted once, and none made', async () => {
  const registered = await readRegistered(endpoint)
  const another = await newProcess()
  expect(await another.decryptSecrets(registered, Date.now())).toEqual([endpoint.secret])
  expect(await another.decryptSecrets(registered, Date.now())).toEqual([endpoint.secret])
  expect(actions()).toEqual(['Decrypt'])
})

test('while KMS is unavailable, nothing is sent and no attempt is counted', async () => {
  const event = eventFor(endpoint)
  const lane = await storeEvent(event)
  kms.refuse({ status: 500, type: 'KMSInternalException' })
  const before = receiver.connections()
  await deliver(lane)
  expect(receiver.connections()).toBe(before)
  expect(await readStoredEvent(event)).toMatchObject({ state: 'pending', attempts: 0 })
  // Its lane is tried again in a moment.
  expect(await table.get(laneAddress(lane))).toMatchObject({ dueAt: { N: expect.any(String) } })
})

test('if a data key is missing, nothing is decrypted and no other one replaces it', async () => {
  const registered = await readRegistered(endpoint)
  await expect(decryptSecrets({ ...registered, orgId: 'nobody' }, Date.now())).rejects.toThrow()
  expect(await table.items('@org|nobody')).toEqual([])
})
