/**
 * The alarms on what the service itself measures, over a recorded run in which something that is ours goes wrong, one thing after the other:
 * each is red soon, and green when all is well again.
 */
import './queue-urls.ts'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { authorizer } from '../../functions/authorizer.ts'
import { toResource } from '../../infra/watch/alarm.ts'
import { alarmsOf } from '../../infra/watch/alarms.ts'
import { confirmKeys } from '../../lib/auth/confirm-keys.ts'
import { recover } from '../../lib/outbox/timer.ts'
import { encodeWakeUp } from '../../lib/outbox/wake-up.ts'
import { ensureDataKey } from '../../lib/store/data-keys.ts'
import { kms } from '../../lib/store/kms-client.ts'
import { UnitOfWork } from '../../lib/store/unit-of-work.ts'
import { claimsOf, newIssuer, publicKeyOf, signNow } from '../support/api/tokens.ts'
import { AlarmProperties, type State, statesOf } from '../support/watch/alarm-state.ts'
import { RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import { SCENARIOS } from '../support/watch/scenarios.ts'
import { HEALTHY, REFUSED, simulatedNow } from './service.ts'
import { connectionTo, endpointAt, recordAt, type Traffic } from './traffic.ts'
import { MINUTE, World } from './world.ts'

/** The alarm of each trouble, and the minutes from the start. */
const TROUBLES = {
  /** Nobody is reached: the way out is gone. */
  destinationsClosed: { alarm: 'UnreachableAlarm', from: 20, until: 35 },
  /** Six endpoints answer 410. */
  endpointsDisabled: { alarm: 'UnreachableAlarm', from: 90, until: 95 },
  /** Somebody has written into the table by hand: what can't be read can't be turned into events either. */
  unreadable: { alarm: 'FaultsAlarm', from: 40, until: 45 },
  /** Wake-ups that were tried in vain. */
  deadWakeUps: { alarm: 'FaultsAlarm', from: 65, until: 70 },
  /** Nothing is delivered that was to be tried again. */
  overdue: { alarm: 'FaultsAlarm', from: 100, until: 135 },
  /** The table does not say whether a tenant is there. */
  authorizerFaults: { alarm: 'FaultsAlarm', from: 160, until: 170 },
  /** KMS does not answer. */
  kmsFaults: { alarm: 'FaultsAlarm', from: 195, until: 205 },
  /** Nor does the address of an issuer. */
  issuerKeys: { alarm: 'UnreachableAlarm', from: 210, until: 240 },
} as const
type Id = keyof typeof TROUBLES
const END = 300

/** Minutes after which it is green again: as long as after a cause that is made by hand, and what the service needs to get over it. */
const greenAfter = (id: Id): number => (SCENARIOS[TROUBLES[id].alarm]?.green ?? 0) + 3

let world: World
const recorded = new RecordedMetrics()

const isAt = (id: Id): boolean => {
  const minute = world.elapsed / MINUTE
  return minute >= TROUBLES[id].from && minute < TROUBLES[id].until
}

/** Does something every so many minutes while there is this trouble. */
const during = (id: Id, every: number, act: () => Promise<unknown>): void => {
  for (let minute = TROUBLES[id].from; minute < TROUBLES[id].until; minute += every)
    world.clock.at(world.start + minute * MINUTE, () => void act().catch(() => undefined))
}

/** A message that nobody could read: of another type than any that the service writes. */
const unreadable = (traffic: Traffic): Traffic => ({
  ...traffic,
  items: (...args) => traffic.items(...args).map((item) => ({ ...item, messages: { S: 'by hand' } })),
})

beforeAll(async () => {
  const issuer = await newIssuer('simulation', 'EdDSA')
  vi.stubEnv('LOG_LEVEL', 'info')
  vi.stubEnv('SEALING_KEY', undefined)
  vi.stubEnv('KMS_KEY_ID', 'alias/simulation')
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', 'http://127.0.0.1:9')
  vi.stubEnv(
    'TOKEN_ISSUERS',
    JSON.stringify([{ issuer: issuer.issuer, audience: issuer.audience, jwks: { keys: [publicKeyOf(issuer)] } }]),
  )
  vi.spyOn(console, 'log').mockImplementation((text) =>
    recorded.addLine(JSON.parse(text), Math.floor(simulatedNow() / MINUTE)),
  )
  world = new World(
    {
      ...{ fast: 20, slow: 10, window: 1_000 },
      trouble: () => (isAt('overdue') ? 'concurrency' : isAt('authorizerFaults') ? 'table' : undefined),
    },
    ({ origin }) => {
      if (isAt('destinationsClosed')) return REFUSED
      if (isAt('endpointsDisabled') && origin.includes('endpoint')) return { after: 20, status: 410 }
      // What is to be tried again is there when nothing is tried any more.
      const isBefore =
        world.elapsed > (TROUBLES.overdue.from - 2) * MINUTE && world.elapsed < TROUBLES.overdue.from * MINUTE
      return isBefore && origin.includes('healthy-1') ? REFUSED : HEALTHY
    },
    5,
  )
  const tenant = world.newId()
  const lanes = Array.from({ length: 30 }, (_, index) =>
    connectionTo(`https://healthy-${index}.example`, tenant, world.newId()),
  )
  world.traffic(lanes, { count: 5 * END, from: 0, until: END * MINUTE })
  const endpoints = Array.from({ length: 6 }, (_, index) =>
    endpointAt(`https://endpoint-${index}.example`, world.newId, world.start),
  )
  await world.register(endpoints)
  during('endpointsDisabled', 5, () => world.send(endpoints.map((one) => recordAt(one, world.newId()))))
  during('unreadable', 1, () =>
    world.send([unreadable(connectionTo('https://healthy-0.example', tenant, world.newId()))]),
  )
  const body = encodeWakeUp({ lane: lanes[0]?.lane ?? '', reason: { kind: 'committed' } })
  during('deadWakeUps', 1, () => recover([{ body, messageId: 'dead' }]))
  const token = signNow(issuer, claimsOf(issuer, { role: 'RestTenantAgent', tenantId: tenant }))
  const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:api/dev/GET/connections'
  during('authorizerFaults', 1, () => authorizer({ type: 'TOKEN', authorizationToken: `Bearer ${token}`, methodArn }))
  // Time stands still while KMS is asked.
  kms().middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        commandName === 'DescribeKeyCommand'
          ? Promise.resolve({ response: {}, output: { $metadata: {}, KeyMetadata: { KeyState: 'Enabled' } } as never })
          : world.clock.real(() => next(args)),
    { step: 'initialize' },
  )
  during('kmsFaults', 1, () => ensureDataKey(new UnitOfWork(tenant), tenant))
  const jwksUri = 'https://keys.invalid/jwks'
  during('issuerKeys', 15, () =>
    confirmKeys(
      [Object({ issuer: 'https://keys.invalid', audience: 'agent', jwksUri, preparedAt: world.start })],
      world.clock.now(),
    ),
  )
  await world.runUntil(END * MINUTE)
  world.service.stop()
})
afterAll(() => {
  vi.unstubAllEnvs()
})

/** By minute from the start. */
const statesIn = (id: string): State[] => {
  const stack = 'serverless-agent-dev'
  const alarm = alarmsOf({ stack, stage: 'dev', sweep: 'Sweep', dispatcher: 'Dispatch', concurrency: 1_000 })[id]
  if (alarm === undefined) throw new Error(`there is no ${id}`)
  const start = Math.floor(world.start / MINUTE)
  return statesOf(v.parse(AlarmProperties, toResource(id, stack, alarm).Properties), recorded, start, start + END)
}

test.each(Object.keys(TROUBLES) as Id[])('%s: its alarm is red while its cause is there', (id) => {
  const { alarm, from, until } = TROUBLES[id]
  expect(statesIn(alarm).slice(from, until + greenAfter(id))).toContain('ALARM')
})

test.each(['FaultsAlarm', 'UnreachableAlarm'])('%s is green when all is well: before, between, and after', (alarm) => {
  const own = (Object.keys(TROUBLES) as Id[]).filter((id) => TROUBLES[id].alarm === alarm)
  const isWell = (minute: number) =>
    minute >= 5 && own.every((id) => minute < TROUBLES[id].from || minute >= TROUBLES[id].until + greenAfter(id))
  const states = statesIn(alarm).filter((_, minute) => isWell(minute))
  expect(states.length).toBeGreaterThan(50)
  expect(new Set(states)).toEqual(new Set(['OK']))
})
