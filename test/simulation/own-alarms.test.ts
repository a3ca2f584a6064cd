/**
 * The alarms on what the service itself measures, over a recorded run in which something that is ours goes wrong, one thing after the other:
 * each is red soon, and green when all is well again.
 */
import './queue-urls.ts'
import type { SQSRecord } from 'aws-lambda'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { authorizer } from '../../functions/authorizer.ts'
import { toResource } from '../../infra/watch/alarm.ts'
import { serviceAlarms } from '../../infra/watch/service-alarms.ts'
import { confirmKeys } from '../../lib/auth/confirm-keys.ts'
import { recover } from '../../lib/outbox/timer.ts'
import { encodeWakeUp } from '../../lib/outbox/wake-up.ts'
import { ensureDataKey } from '../../lib/store/data-keys.ts'
import { kms } from '../../lib/store/kms-client.ts'
import { UnitOfWork } from '../../lib/store/unit-of-work.ts'
import { claimsOf, newIssuer, publicKeyOf, signNow } from '../support/api/tokens.ts'
import { AlarmProperties, type State, statesOf } from '../support/watch/alarm-state.ts'
import { RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import { scenarioOf } from '../support/watch/scenarios.ts'
import { type StartedTable, startTable } from '../unit/store/started-table.ts'
import { HEALTHY, REFUSED } from './service.ts'
import { connectionTo, endpointAt, recordAt, type Traffic } from './traffic.ts'
import { MINUTE, World } from './world.ts'

/** Minutes from the start. */
const TROUBLES = {
  /** Nobody is reached: the way out is gone. */
  DestinationsClosedAlarm: { from: 20, until: 35 },
  /** Six endpoints answer 410. */
  EndpointsDisabledAlarm: { from: 70, until: 75 },
  /** Somebody has written into the table by hand: what can't be read can't be turned into events either. */
  WorkGivenUpAlarm: { from: 40, until: 45 },
  ParkedChangesAlarm: { from: 40, until: 45 },
  /** Wake-ups that were tried in vain. */
  DeadWakeUpsAlarm: { from: 60, until: 65 },
  /** Nothing is delivered that was to be tried again. */
  DueAlarm: { from: 80, until: 115 },
  /** The table does not say whether a tenant is there. */
  AuthorizerFaultsAlarm: { from: 120, until: 130 },
  /** KMS does not answer. */
  KmsFaultsAlarm: { from: 135, until: 145 },
  /** Nor does the address of an issuer. */
  IssuerKeysAlarm: { from: 150, until: 180 },
} as const
type Id = keyof typeof TROUBLES
const END = 240

/** Minutes after which it is green again: as long as after a cause that is made by hand, and what the service needs to get over it. */
const greenAfter = (id: Id): number => (scenarioOf(id, alarmOf(id))?.green ?? 0) + 3

let table: StartedTable
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
  vi.spyOn(console, 'log').mockImplementation((text) => {
    const line = JSON.parse(text)
    // Functions without a clock of their own have the machine's.
    recorded.addLine('_aws' in line ? { ...line, _aws: { ...line._aws, Timestamp: world.clock.now() } } : line)
  })
  table = await startTable({ stream: false })
  world = new World(
    table,
    {
      ...{ fast: 20, slow: 10, window: 1_000 },
      trouble: () => (isAt('DueAlarm') ? 'concurrency' : isAt('AuthorizerFaultsAlarm') ? 'table' : undefined),
    },
    ({ origin }) => {
      if (isAt('DestinationsClosedAlarm')) return REFUSED
      if (isAt('EndpointsDisabledAlarm') && origin.includes('endpoint')) return { after: 20, status: 410 }
      // What is to be tried again is there when nothing is tried any more.
      const isBefore =
        world.elapsed > (TROUBLES.DueAlarm.from - 2) * MINUTE && world.elapsed < TROUBLES.DueAlarm.from * MINUTE
      return isBefore && origin.includes('healthy-1') ? REFUSED : HEALTHY
    },
    5,
  )
  const tenant = world.newId()
  const lanes = Array.from({ length: 30 }, (_, index) =>
    connectionTo(`https://healthy-${index}.example`, tenant, world.newId()),
  )
  world.traffic(lanes, { count: 10 * END, from: 0, until: END * MINUTE })
  const endpoints = Array.from({ length: 6 }, (_, index) =>
    endpointAt(`https://endpoint-${index}.example`, world.newId, world.start),
  )
  await world.register(endpoints)
  during('EndpointsDisabledAlarm', 5, () => world.send(endpoints.map((one) => recordAt(one, world.newId()))))
  during('WorkGivenUpAlarm', 1, () =>
    world.send([unreadable(connectionTo('https://healthy-0.example', tenant, world.newId()))]),
  )
  const body = encodeWakeUp({ lane: lanes[0]?.lane ?? '', reason: { kind: 'committed' } })
  during('DeadWakeUpsAlarm', 1, () => recover([{ body, messageId: 'dead' } as SQSRecord]))
  const token = signNow(issuer, claimsOf(issuer, { role: 'RestTenantAgent', tenantId: tenant }))
  const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:api/dev/GET/connections'
  during('AuthorizerFaultsAlarm', 1, () =>
    authorizer({ type: 'TOKEN', authorizationToken: `Bearer ${token}`, methodArn }),
  )
  // Time stands still while KMS is asked.
  kms().middlewareStack.add((next) => (args) => world.clock.real(() => next(args)), { step: 'initialize' })
  during('KmsFaultsAlarm', 1, () => ensureDataKey(new UnitOfWork(tenant), tenant))
  const jwksUri = 'https://keys.invalid/jwks'
  during('IssuerKeysAlarm', 15, () =>
    confirmKeys(
      [Object({ issuer: 'https://keys.invalid', audience: 'agent', jwksUri, preparedAt: world.start })],
      world.clock.now(),
    ),
  )
  await world.runUntil(END * MINUTE)
  world.service.stop()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await table.stop()
})

const alarmOf = (id: string): AlarmProperties => {
  const alarm = serviceAlarms({ maxWaiting: 1_000 })[id]
  if (alarm === undefined) throw new Error(`there is no ${id}`)
  return v.parse(AlarmProperties, toResource(id, 'serverless-agent-dev', alarm).Properties)
}

/** By minute from the start. */
const statesIn = (id: string): State[] => {
  const start = Math.floor(world.start / MINUTE)
  return statesOf(alarmOf(id), recorded, start, start + END)
}

describe.each(Object.keys(TROUBLES) as Id[])('%s', (id) => {
  const { from, until } = TROUBLES[id]

  test('is red while its cause is there', () => {
    expect(statesIn(id).slice(from, until + greenAfter(id))).toContain('ALARM')
  })

  test('is green before, and after it', () => {
    const states = statesIn(id)
    expect(new Set([...states.slice(5, from), ...states.slice(until + greenAfter(id))])).toEqual(new Set(['OK']))
  })
})
