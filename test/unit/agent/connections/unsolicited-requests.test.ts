/** How many requests for a connection are admitted: in which time, and of which invitation. */
import {
  DidCommOutOfBandInvitation,
  DidCommOutOfBandRecord,
  DidCommOutOfBandRole,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { admitRequest } from '../../../../lib/agent/connections/unsolicited-requests.ts'
import { AgentError } from '../../../../lib/errors.ts'
import { settings } from '../../../../lib/settings.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { useTable } from '../../store/use-table.ts'

await useTable({ memory: true, check: false })

/** In ms. */
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const rate = settings().TENANT_RATE

let start: number

beforeEach(() => {
  start = (Math.floor(Date.now() / DAY) + 1) * DAY
  vi.useFakeTimers({ toFake: ['Date'], now: start })
})
afterEach(() => {
  vi.useRealTimers()
  settings().TENANT_RATE = rate
})

const invitation = (reusable: boolean) =>
  new DidCommOutOfBandRecord({
    ...{ role: DidCommOutOfBandRole.Sender, state: DidCommOutOfBandState.AwaitResponse, reusable },
    outOfBandInvitation: new DidCommOutOfBandInvitation({ services: ['did:example:ours'] }),
  })

const admit = (to: DidCommOutOfBandRecord, tenant: string) => transaction(tenant, () => admitRequest(to))

/** How many of the requests are admitted one after another. */
const admitted = async (requests: number, to: DidCommOutOfBandRecord, tenant: string): Promise<number> => {
  let count = 0
  for (let number = 0; number < requests; number++)
    await admit(to, tenant).then(
      () => count++,
      (error) => expect(error).toMatchObject({ code: 'quota.exceeded' }),
    )
  return count
}

test.each([
  [0, 600],
  [2, 120],
])('of unsolicited requests at a rate of %i a second, %i are admitted in a minute', async (perSecond, most) => {
  settings().TENANT_RATE = perSecond
  const tenant = `rate-${perSecond}`
  expect(await admitted(most + 2, invitation(true), tenant)).toBe(most)
  await expect(admit(invitation(true), tenant)).rejects.toMatchObject({ retryAfter: 60 })
  vi.setSystemTime(start + MINUTE)
  expect(await admitted(1, invitation(true), tenant)).toBe(1)
})

test('of those for an invitation for one connection, 20 are admitted in a day', async () => {
  const [one, other] = [invitation(false), invitation(false)]
  expect(await admitted(21, one, 'tries')).toBe(20)
  expect(await admitted(1, other, 'tries')).toBe(1)
  vi.setSystemTime(start + DAY - 1)
  expect(await admitted(1, one, 'tries')).toBe(0)
  vi.setSystemTime(start + DAY)
  expect(await admitted(1, one, 'tries')).toBe(1)
})

test('one that is tried again after a conflict counts once', async () => {
  const one = invitation(false)
  let conflicts = 3
  await transaction('conflict', async () => {
    await admitRequest(one)
    if (conflicts-- > 0) throw new AgentError('store.conflict', 'changed')
  })
  expect(await admitted(21, one, 'conflict')).toBe(19)
})
