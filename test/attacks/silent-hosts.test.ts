/** Handshakes that name a DID on a host which never answers: what they cost, and who else must wait for them. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTenant } from '../support/scenes.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { inviteToConnect } from '../support/tenants.ts'
import { connectionRequest, didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

interface Attempt {
  url: string
  limits: { attemptMs: number; connectMs: number }
}

/** The hosts: what was asked of them, and what ends the waiting. */
const hosts = vi.hoisted(() => ({
  asked: [] as unknown[],
  waiting: [] as (() => void)[],
  /** Each request waits for `answerAll`; otherwise its time is over immediately. */
  silent: false,
}))

vi.mock('../../lib/egress/post.ts', async (original) => ({
  ...(await original<object>()),
  get: async (attempt: { limits: { attemptMs: number } }) => {
    hosts.asked.push(attempt)
    if (hosts.silent) await new Promise<void>((resolve) => hosts.waiting.push(resolve))
    return { headers: {}, body: '', milliseconds: attempt.limits.attemptMs, failure: 'timeout', detail: 'not done' }
  },
}))

const asked = () => hosts.asked as Attempt[]
const answerAll = () => {
  for (const answer of hosts.waiting.splice(0)) answer()
}

const { stage, caller, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)

beforeEach(() => {
  hosts.asked.length = 0
})
afterEach(() => {
  hosts.silent = false
  answerAll()
})

let hostNumber = 0
const silentDid = (): string => `did:web:silent-${++hostNumber}.example.org`
const silentLog = (): string => `did:webvh:Qm${'1'.repeat(44)}:silent-${++hostNumber}.example.org`

const inviteMany = (as = caller) => inviteToConnect(stage, as, { multiUseInvitation: true })
type Invited = Awaited<ReturnType<typeof inviteMany>>

const ask = async ({ invitation, invitationDid }: Invited, did?: string) => {
  const senderKey = await raw.newKey()
  const route = { ...(await raw.routeToDid(invitationDid)), senderKey }
  return raw.send(didExchangeRequest(invitation['@id'], did ?? peerDidOf([senderKey], 'http://127.0.0.1:1')), route)
}

/** A tenant to which unknown senders may send this many requests in a minute. */
const withRate = async (aMinute: number, act: () => Promise<void>): Promise<void> => {
  const { settings } = await import('../../lib/settings.ts')
  const rate = settings().TENANT_RATE
  settings().TENANT_RATE = aMinute / 60
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 + 5_000 })
  await act().finally(() => {
    settings().TENANT_RATE = rate
    vi.useRealTimers()
  })
}

test.each(Object.entries({ 'did:web': silentDid, 'did:webvh': silentLog }))(
  'they are counted, although they come to nothing: %s',
  async (_, didOf) => {
    const invited = await inviteMany(await createTenant(stage))
    await withRate(5, async () => {
      for (let number = 0; number < 5; number++) expect((await ask(invited, didOf())).status).not.toBe(429)
      expect(asked()).toHaveLength(5)
      const refused = await ask(invited, didOf())
      expect(refused.status).toBe(429)
      expect(asked()).toHaveLength(5)
      vi.setSystemTime(Date.now() + 60_000)
      expect((await ask(invited)).status).toBe(200)
    })
  },
)

test('they wait for 2 s in all, however many documents they name', async () => {
  const invited = await inviteMany()
  const { status } = await ask(invited, silentLog())
  expect(status).toBeGreaterThanOrEqual(200)
  expect(status).toBeLessThan(500)
  const [{ limits } = { limits: { attemptMs: 0, connectMs: 0 } }] = asked()
  expect(limits.attemptMs).toBeLessThanOrEqual(2_000)
  expect(limits.connectMs).toBeLessThanOrEqual(2_000)
  expect(asked()).toHaveLength(1)
})

test('ten of them are read concurrently for a tenant: more get a retry response, and none is an internal error', async () => {
  const invited = await inviteMany()
  const other = await inviteMany(await createTenant(stage))
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 10_000) * 10_000 })
  hosts.silent = true
  const answers = Promise.all(Array.from({ length: 16 }, () => ask(invited, silentDid())))
  await waitFor('the first ten', () => Promise.resolve(hosts.waiting.length === 10))
  const late = await ask(invited, silentDid())
  expect(late.status).toBe(429)
  expect(late.retryAfter).toBe('1')
  // Of other tenants, and of unknown senders whose DIDs contain their documents, none waits.
  expect((await ask(invited, undefined)).status).toBe(200)
  const elsewhere = ask(other, silentDid())
  await waitFor('another tenant', () => Promise.resolve(hosts.waiting.length === 11))
  answerAll()
  const statuses = (await answers).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(6)
  expect(statuses.filter((status) => status >= 500)).toEqual([])
  expect((await elsewhere).status).toBeLessThan(500)
  hosts.silent = false
  const before = asked().length
  expect((await ask(invited, silentDid())).status).not.toBe(429)
  expect(asked()).toHaveLength(before + 1)
  vi.useRealTimers()
})

test('a rotation to such a host is bounded likewise', async () => {
  const { invitationUrl } = await inviteToConnect(stage, caller)
  const { id } = await wallet.connect(invitationUrl)
  const rotate = {
    ...{ '@type': 'https://didcomm.org/did-rotate/1.0/rotate', '@id': randomUUID() },
    to_did: silentLog(),
  }
  expect((await raw.sendOn(id, rotate)).status).toBeLessThan(500)
  expect(asked().map(({ limits }) => limits.attemptMs <= 2_000)).toEqual([true])
})

test('an invitation for one connection has its own count of 20, whatever unknown senders send', async () => {
  const tenant = await createTenant(stage)
  const one = await inviteToConnect(stage, tenant)
  const guests = await inviteToConnect(stage, tenant)
  const many = await inviteMany(tenant)
  await withRate(2, async () => {
    for (let number = 0; number < 20; number++) expect((await ask(one, silentDid())).status).not.toBe(429)
    expect((await ask(one, silentDid())).status).toBe(429)
    expect((await ask(one)).status).toBe(429)
    expect(asked()).toHaveLength(20)
    // They have not used up what unknown senders may send, and those block no invited wallet.
    for (let number = 0; number < 2; number++) expect((await ask(many)).status).toBe(200)
    expect((await ask(many)).status).toBe(429)
    expect((await ask(guests)).status).toBe(200)
  })
})

test('over connections/1.0 they are counted as well', async () => {
  const tenant = await createTenant(stage)
  const { invitation, invitationDid } = await inviteToConnect(stage, tenant)
  const route = await raw.routeToDid(invitationDid)
  const statuses: number[] = []
  for (let number = 0; number < 21; number++) {
    const message = connectionRequest(invitation['@id'], [await raw.newKey()], 'http://127.0.0.1:1')
    statuses.push((await raw.send(message, { ...route, senderKey: await raw.newKey() })).status)
  }
  expect(statuses).toEqual([...Array(20).fill(400), 429])
})
