/** Revocation against the wallet that it is about: whatever it sends, its credential is revoked, and only by who issued it. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { AgentError } from '../../lib/errors.ts'
import { addIssuedExchange, revocableAt, runPublication } from '../support/anoncreds/issued-exchange.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { type AnonCredsWorld, inTenant, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import { offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

let world: AnonCredsWorld
let raw: RawMessages

describeWithLibrary('revocation', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld({ revocable: 100, acceptOffers: false })
    raw = new RawMessages(world.wallet)
  })
  afterAll(() => world.stop())

  const exchangeOf = async (credentialRecordId: string): Promise<Json> =>
    (await world.stage.call('getCredentialById', { caller: world.caller, path: { credentialRecordId } })).body

  const revoke = (credentialRecordId: string) =>
    world.stage.call('revokeCredential', { caller: world.caller, path: { credentialRecordId } })

  const inState = (id: string, state: string): Promise<Json> =>
    waitFor(`the exchange to be ${state}`, async () => {
      const exchange = await exchangeOf(id)
      return exchange.state === state && exchange
    })

  /** Offers a credential; 409 as long as the first registry is being made. */
  const offer = (more: object = {}): Promise<Json> =>
    waitFor('an offer', async () => {
      const { credentialDefinitionId, connectionId, caller } = world
      const attributes = [
        { name: 'degree', value: 'Bachelor' },
        { name: 'age', value: '24' },
      ]
      const { status, body } = await world.stage.call('createOffer', {
        caller,
        body: {
          connectionId,
          protocolVersion: 'v2',
          credentialFormats: { anoncreds: { credentialDefinitionId, attributes }, ...more },
        },
      })
      return status === 200 && body
    })

  /** The wallet has the credential, and has not acknowledged it. */
  const issuedWithoutAck = async (more?: object, taken: object = { anoncreds: {} }): Promise<Json> => {
    const { credentials } = world.wallet.agent.didcomm
    const { id, threadId } = await offer(more)
    const received = await waitFor('the offer', async () => (await credentials.findAllByQuery({ threadId }))[0])
    await credentials.acceptOffer({
      credentialExchangeRecordId: received.id,
      autoAcceptCredential: 'never' as never,
      credentialFormats: taken,
    })
    return inState(id, 'credential-issued')
  }

  const report = (thid: string) =>
    raw.sendOn(world.walletConnectionId, {
      ...didCommMessage('issue-credential/2.0/problem-report', { thid }),
      description: { code: 'issuance-abandoned', en: 'I never got it' },
    })

  const publishNow = async (id: string): Promise<Json> => {
    await runPublication(world.caller.tenantId, id)
    return published(id)
  }

  const published = (id: string): Promise<Json> =>
    waitFor('the revocation to be published', async () => {
      const exchange = await exchangeOf(id)
      return exchange.metadata['_agent/revocation'].state === 'published' && exchange
    })

  const listOf = async (registryId: string): Promise<Json> => {
    const { anoncreds } = world.wallet.agent.modules
    // Credo keeps what it has read of a time.
    later += 1
    const time = Math.floor(Date.now() / 1000) + later
    return { ...(await anoncreds.getRevocationStatusList(registryId, time)).revocationStatusList?.revocationList }
  }
  let later = 60

  test('a wallet that gives the exchange up after it was issued a credential has one that can be revoked', async () => {
    const { id, threadId } = await issuedWithoutAck()
    await report(threadId)
    await inState(id, 'abandoned')
    expect(await revoke(id)).toMatchObject({ status: 200 })
    const { revocationRegistryId, credentialRevocationId } = (await published(id)).metadata['_anoncreds/credential']
    expect(await listOf(revocationRegistryId)).toMatchObject({ [credentialRevocationId]: 1 })
  })

  test('a wallet that gives the exchange up between revocation and its publication does not stop it', async () => {
    const { id, threadId } = await issuedWithoutAck()
    const { line } = world.stage
    await line.stop()
    expect(await revoke(id)).toMatchObject({ status: 200 })
    await report(threadId)
    await inState(id, 'abandoned')
    line.run()
    await line.sweep()
    const { revocationRegistryId, credentialRevocationId } = (await published(id)).metadata['_anoncreds/credential']
    expect(await listOf(revocationRegistryId)).toMatchObject({ [credentialRevocationId]: 1 })
  })

  test('an exchange that was given up before anything was issued cannot be revoked', async () => {
    const { id, threadId } = await offer()
    await report(threadId)
    await inState(id, 'abandoned')
    expect(await revoke(id)).toMatchObject({ status: 409 })
  })

  test('a wallet that takes another format of the offer only has nothing to be shown as revoked', async () => {
    const { jsonld } = offerBody(world.connectionId, world.wallet.did).credentialFormats
    const { id } = await issuedWithoutAck({ jsonld }, { jsonld: {} })
    expect(await revoke(id)).toMatchObject({ status: 409 })
  })

  test.each([
    ['offered', () => offer()],
    ['issued', () => issuedWithoutAck()],
  ])('a wallet cannot notify the issuer of the revocation of what the issuer has %s', async (_, begin) => {
    const { id } = await begin()
    const before = await exchangeOf(id)
    const { revocationRegistryId, credentialRevocationId } = before.metadata['_anoncreds/credential']
    await raw.sendOn(world.walletConnectionId, {
      ...didCommMessage('revocation_notification/2.0/revoke'),
      revocation_format: 'anoncreds',
      credential_id: `${revocationRegistryId}::${credentialRevocationId}`,
      comment: 'revoked by its holder',
    })
    expect(await exchangeOf(id)).toEqual(before)
  })

  test('what is revoked while the clock is behind the newest list leaves nothing out of the list', async () => {
    const first = await issuedWithoutAck()
    const second = await issuedWithoutAck()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 60 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    await revoke(first.id)
    await publishNow(first.id)
    vi.useRealTimers()
    await revoke(second.id)
    await runPublication(world.caller.tenantId, second.id)
    expect((await exchangeOf(second.id)).metadata['_agent/revocation'].state).toBe('pending')
    expect(await itemsOf(world.stage, `${world.caller.tenantId}|job|revocation-list|`)).toMatchObject([
      { attempts: { N: '0' } },
    ])
    // When the clock has passed the newest list.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4 * 60 * 60_000 })
    const { revocationRegistryId } = (await publishNow(second.id)).metadata['_anoncreds/credential']
    const indexes = [first, second].map(({ metadata }) => metadata['_anoncreds/credential'].credentialRevocationId)
    const { revocationStatusList } = await inTenant(world.caller.tenantId, ({ modules }) =>
      modules.anoncreds.getRevocationStatusList(revocationRegistryId, Math.floor(Date.now() / 1000) + 24 * 60 * 60),
    )
    expect(indexes.map((index) => revocationStatusList?.revocationList[Number(index)])).toEqual([1, 1])
  })

  test('a revocation in a list of the future is not shown as published before that time', async () => {
    const [first, second] = [await issuedWithoutAck(), await issuedWithoutAck()]
    const { line } = world.stage
    await line.stop()
    for (const { id } of [first, second]) await revoke(id)
    // The clock of the process that publishes the list is fast.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4.2 * 60 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    await runPublication(world.caller.tenantId, first.id)
    vi.useRealTimers()
    const stateOf = async ({ id }: Json) => (await exchangeOf(id)).metadata['_agent/revocation'].state
    expect(await stateOf(first)).toBe('published')
    await runPublication(world.caller.tenantId, second.id)
    expect(await stateOf(second)).toBe('pending')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4.2 * 60 * 60_000 + 2_000 })
    line.run()
    await publishNow(second.id)
  })

  test('24 revocations in one second date no list in the future, and each that is published is seen by who asks now', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4.5 * 60 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { metadata } = await issuedWithoutAck()
    const { revocationRegistryId } = metadata['_anoncreds/credential']
    const ids: { id: string; index: number }[] = []
    for (let index = 60; index < 84; index++)
      ids.push({ id: await addIssuedExchange(world.caller.tenantId, revocableAt(revocationRegistryId, index)), index })
    const seenNow = () =>
      inTenant(world.caller.tenantId, async ({ modules }) => {
        const now = Math.floor(Date.now() / 1000)
        return (await modules.anoncreds.getRevocationStatusList(revocationRegistryId, now)).revocationStatusList
      })
    for (const { id, index } of ids) {
      await revoke(id)
      await runPublication(world.caller.tenantId, id)
      if ((await exchangeOf(id)).metadata['_agent/revocation'].state === 'published')
        expect((await seenNow())?.revocationList[index]).toBe(1)
    }
    vi.setSystemTime(Date.now() + 2_000)
    for (const { id } of ids) await publishNow(id)
    const list = await seenNow()
    expect(ids.map(({ index }) => list?.revocationList[index])).toEqual(ids.map(() => 1))
  })

  /** An issued credential that is revoked when `hours` have passed, and what notifies its holder. No job runs by itself. */
  const revokedIn = async (hours: number) => {
    const { id } = await issuedWithoutAck()
    await world.stage.line.stop()
    onTestFinished(() => world.stage.line.run())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 60 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { DidCommCredentialsApi } = await import('@credo-ts/didcomm')
    const notify = vi.spyOn(DidCommCredentialsApi.prototype, 'sendRevocationNotification')
    onTestFinished(() => notify.mockRestore())
    await revoke(id)
    const publish = async () => {
      await runPublication(world.caller.tenantId, id)
      return (await exchangeOf(id)).metadata['_agent/revocation']
    }
    return { notify, publish }
  }

  test.each([
    ['connection.no_endpoint', 4.6],
    ['connection.queue_full', 4.7],
  ] as const)('a wallet that cannot be notified does not prevent a revocation: %s', async (code, hours) => {
    const { notify, publish } = await revokedIn(hours)
    notify.mockRejectedValueOnce(new AgentError(code, 'it cannot be told'))
    expect(await publish()).toMatchObject({ state: 'published' })
  })

  test('a revocation that has failed three times shows the reason, and is tried again in ten minutes', async () => {
    const { notify, publish } = await revokedIn(4.8)
    for (const reason of [undefined, undefined, 'an internal error']) {
      notify.mockRejectedValueOnce(new Error('broken'))
      const { state, reason: shown } = await publish()
      expect({ state, shown }).toEqual({ state: 'pending', shown: reason })
      vi.setSystemTime(Date.now() + 60_000)
    }
    vi.setSystemTime(Date.now() + 9 * 60_000)
    expect(await publish()).toMatchObject({ state: 'published' })
    expect(notify).toHaveBeenCalledTimes(4)
  })
})
