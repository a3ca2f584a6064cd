/** Revocation on an Indy ledger amid repetition, crashes and operators who are late or write something else: nothing is lost or doubled. */
import type { SQSEvent } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { anonCredsUnavailable } from '../../lib/anoncreds-library.ts'
import { allocateRevocationIndex } from '../../lib/revocation/allocate-index.ts'
import { readTailsFile } from '../../lib/revocation/tails-file.ts'
import { type IndyProxy, startIndyProxy } from '../support/anoncreds/indy-proxy.ts'
import { addIssuedExchange, revocableAt } from '../support/anoncreds/issued-exchange.ts'
import { LedgerOperator } from '../support/anoncreds/ledger-operator.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { STEP } from '../support/depth.ts'
import { createTenant } from '../support/scenes.ts'
import { type Caller, type InProcessStage, type Json, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'

const ISSUER = 'did:indy:local:WgWxqztrNooG92RXvxSTWv'
const LEASE = 90_000
const HOUR = 60 * 60_000
const DAY = 24 * HOUR

describeWithLibrary('on an Indy ledger', () => {
  let stage: InProcessStage
  let proxy: IndyProxy
  let operator: LedgerOperator
  let caller: Caller & { tenantId: string }
  /** The record of the definition. */
  let id: string
  let credentialDefinitionId: string
  let tags = 0
  let lines: string[] = []

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
    process.env.LOG_LEVEL = 'info'
    proxy = await startIndyProxy()
    process.env.INDY_PROXIES = JSON.stringify({ local: proxy.address })
    stage = await startInProcessStage()
    await useQuickKeys()
  })
  afterAll(async () => {
    vi.useRealTimers()
    await stage.stop()
    await proxy.stop()
  })
  beforeEach(async () => {
    lines = []
    caller = (await createTenant(stage)) as typeof caller
    operator = new LedgerOperator({ stage, caller }, proxy, turn)
    const definition = await operator.define(ISSUER, `tag-${tags++}`)
    id = definition.id
    credentialDefinitionId = definition.credentialDefinitionId
  })
  afterEach(async () => expect(await checkTable(stage.client, stage.table)).toEqual([]))

  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

  /** Does everything that is due by then. */
  const turn = async (ms = LEASE) => {
    pass(ms)
    await stage.line.sweep()
    await stage.line.settle()
  }

  const ready = async (): Promise<void> => {
    for (const type of ['REVOC_REG_DEF', 'REVOC_REG_ENTRY']) operator.write((await operator.waiting(id, type))[0])
    await operator.hasWritten(id)
  }

  /** Exchanges as they are after issuing, without a connection, with the next indexes. */
  const issue = async (count: number): Promise<{ id: string; index: number }[]> => {
    const issued = []
    for (let turn = 0; turn < count; turn++) {
      const { registryId, index } = await allocateRevocationIndex(caller.tenantId, credentialDefinitionId)
      issued.push({ id: await addIssuedExchange(caller.tenantId, revocableAt(registryId, index)), index })
    }
    return issued
  }
  const revoke = (issued: { id: string }[]) =>
    Promise.all(
      issued.map(({ id: credentialRecordId }) =>
        stage.call('revokeCredential', { caller, path: { credentialRecordId } }),
      ),
    )
  const statesOf = (issued: { id: string }[]): Promise<string[]> =>
    Promise.all(
      issued.map(async ({ id: credentialRecordId }) => {
        const { body } = await stage.call('getCredentialById', { caller, path: { credentialRecordId } })
        return body.metadata['_agent/revocation'].state
      }),
    )
  const waiting = async (): Promise<Json[]> => (await operator.read(id)).ledgerObjects ?? []
  const entryOf = ({ transaction: { request } }: Json): Json => request.operation.value
  const prepared = async (): Promise<Json> => {
    await turn()
    return (await operator.waiting(id, 'REVOC_REG_ENTRY'))[0]
  }

  /** Numbers of the records that make up a registry. */
  const stored = async () => {
    const of = (name: string) => itemsOf(stage, `${caller.tenantId}|${name}|`)
    const types = ['AnonCredsRevocationRegistryDefinitionRecord', 'AnonCredsRevocationRegistryDefinitionPrivateRecord']
    const all = await Promise.all([...types, 'revocation-registry', 'ledger-object', 'job'].map(of))
    const [definitions, secrets, registries, writes, jobs] = all.map(
      (items) => items.filter(({ kind }) => kind?.S !== 'entry').length,
    )
    return { definitions, secrets, registries, writes, jobs }
  }

  const jobOf = async (type: string): Promise<string> => {
    const [job] = await itemsOf(stage, `${caller.tenantId}|job|${type}|`)
    return job?.pk?.S ?? ''
  }
  const deliver = async (job: string): Promise<void> => {
    const { runJobs } = await import('../../functions/run-jobs.ts')
    const event = { Records: [{ messageId: 'a', body: JSON.stringify({ job }) }] } as unknown as SQSEvent
    await stage.line.guard.run('runJobs', () => runJobs(event))
  }

  test('concurrent revocations are one entry, and those made meanwhile are the next one', async () => {
    await ready()
    const [first, second] = [await issue(3), await issue(2)]
    await revoke(first)
    const entry = await prepared()
    expect(entryOf(entry).revoked).toEqual(first.map(({ index }) => index))
    await revoke(second)
    await turn()
    await turn(HOUR)
    expect(await waiting()).toEqual([entry])
    operator.write(entry)
    await turn(HOUR)
    await turn(HOUR)
    expect(await statesOf(first)).toEqual(['published', 'published', 'published'])
    expect(await statesOf(second)).toEqual(['pending', 'pending'])
    const [next] = await waiting()
    expect(entryOf(next)).toMatchObject({
      prevAccum: entryOf(entry).accum,
      revoked: second.map(({ index }) => index),
    })
    operator.write(next)
    await turn(HOUR)
    await turn(HOUR)
    expect(await statesOf(second)).toEqual(['published', 'published'])
    expect(await stored()).toMatchObject({ writes: 0, jobs: 0 })
  })

  test('the revocations of a written entry are published, though another entry waits', async () => {
    await ready()
    const [one, two, three] = await issue(3)
    if (one === undefined || two === undefined || three === undefined) throw new Error('there are three')
    await revoke([one, two])
    const entry = await prepared()
    await revoke([three])
    operator.write(entry)
    // The write is noticed, and the third is the first to look.
    await deliver(await jobOf('registry-write'))
    pass(HOUR)
    await deliver(await jobOf('registry-write'))
    await deliver(`${caller.tenantId}|job|revocation-list|${three.id}`)
    expect(entryOf((await waiting())[0]).revoked).toEqual([three.index])
    await turn(HOUR)
    expect(await statesOf([one, two, three])).toEqual(['published', 'published', 'pending'])
  })

  test('an operator who writes 40 days later is not too late for revocations', async () => {
    await ready()
    const issued = await issue(1)
    await revoke(issued)
    const entry = await prepared()
    for (let days = 0; days < 40; days += 8) await turn(8 * DAY)
    expect(await statesOf(issued)).toEqual(['pending'])
    expect(await waiting()).toEqual([entry])
    expect(lines.map((line) => JSON.parse(line).event)).not.toContain('ledger.write_failed')
    operator.write(entry)
    await turn(HOUR)
    await turn(HOUR)
    expect(await statesOf(issued)).toEqual(['published'])
  })

  test('where the ledger gets another entry it fails, and a fresh one is on top of what the ledger has', async () => {
    await ready()
    const [one, two] = await issue(2)
    if (one === undefined || two === undefined) throw new Error('there are two')
    await revoke([one])
    const entry = await prepared()
    // A holder of the keys may revoke: here with an accumulator of another registry, which serves as well.
    const foreign = await accumulatorOfAnother()
    const { request } = entry.transaction
    const value = { ...entryOf(entry), accum: foreign, revoked: [two.index] }
    proxy.write({ ...request, operation: { ...request.operation, value } }, Math.floor(Date.now() / 1000))
    await turn(HOUR)
    await turn(HOUR)
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        ...{ level: 'error', event: 'ledger.write_failed', type: 'REVOC_REG_ENTRY' },
        reason: 'the ledger already has a different object',
      }),
    )
    const [fresh] = await waiting()
    expect(entryOf(fresh)).toMatchObject({ prevAccum: foreign, revoked: [one.index] })
    operator.write(fresh)
    await turn(HOUR)
    await turn(HOUR)
    expect(await statesOf([one])).toEqual(['published'])
  })

  const accumulatorOfAnother = async (): Promise<string> => {
    const other = await operator.define(ISSUER, `tag-${tags++}`)
    operator.write((await operator.waiting(other.id, 'REVOC_REG_DEF'))[0])
    return entryOf((await operator.waiting(other.id, 'REVOC_REG_ENTRY'))[0]).accum
  }

  test.each<[string, () => Promise<void>, string]>([
    [
      'written with another content',
      async () => {
        const [{ transaction: wanted }] = await operator.waiting(id, 'REVOC_REG_DEF')
        const { operation } = wanted.request
        const value = { ...operation.value, tailsLocation: 'https://other.example.org' }
        operator.write({
          transaction: { ...wanted, request: { ...wanted.request, operation: { ...operation, value } } },
        })
        await turn(HOUR)
      },
      'the ledger already has a different object',
    ],
    [
      'not written within 30 days',
      async () => {
        await operator.waiting(id, 'REVOC_REG_DEF')
        await turn(31 * DAY)
      },
      'it was not written within 30 days',
    ],
  ])('a registry that is %s is given up, and the next offer asks for another one', async (_, spoil, reason) => {
    const [before] = await operator.waiting(id, 'REVOC_REG_DEF')
    const { tailsHash } = before.transaction.request.operation.value
    expect(await readTailsFile(tailsHash)).toBeDefined()
    await spoil()
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ event: 'ledger.write_failed', type: 'REVOC_REG_DEF', reason }),
    )
    expect(await stored()).toEqual({ definitions: 0, secrets: 0, registries: 0, writes: 0, jobs: 0 })
    expect(await readTailsFile(tailsHash)).toBeUndefined()
    const offered = allocateRevocationIndex(caller.tenantId, credentialDefinitionId)
    await expect(offered).rejects.toMatchObject({ code: 'revocation.no_index' })
    const [another] = await operator.waiting(id, 'REVOC_REG_DEF')
    expect(another.transaction.request.operation.id).not.toBe(before.transaction.request.operation.id)
    await ready()
    expect(await issue(1)).toMatchObject([{ index: 1 }])
  })

  test('a definition that was not written is given up, and can be requested again', async () => {
    const { schemaId } = await operator.read(id)
    const define = async () => {
      const body = { issuerId: ISSUER, schemaId, tag: 'late', supportRevocation: true, revocationRegistrySize: 100 }
      return (await stage.call('createCredentialDefinition', { caller, body })).body.id
    }
    const late = await define()
    const [given] = await operator.waiting(late, 'CLAIM_DEF')
    await turn(31 * DAY)
    const failed = await operator.read(late)
    expect(failed).toMatchObject({ state: 'failed', reason: 'it was not written within 30 days' })
    expect(failed).not.toHaveProperty('ledgerObjects')
    expect(await itemsOf(stage, `${caller.tenantId}|ledger-object|${late}`)).toEqual([])
    id = await define()
    expect(id).not.toBe(late)
    const [again] = await operator.waiting(id, 'CLAIM_DEF')
    expect(again.transaction.request.operation.tag).toBe(given.transaction.request.operation.tag)
    operator.write(again)
    await ready()
    credentialDefinitionId = (await operator.read(id)).credentialDefinitionId
    expect(await operator.read(credentialDefinitionId)).toMatchObject({ id, state: 'finished' })
    expect(await issue(1)).toMatchObject([{ index: 1 }])
    for (const type of ['AnonCredsCredentialDefinitionPrivateRecord', 'AnonCredsKeyCorrectnessProofRecord']) {
      const items = await itemsOf(stage, `${caller.tenantId}|${type}|`)
      // Of this definition and of the one that every test has.
      expect(items.filter(({ kind }) => kind?.S !== 'entry')).toHaveLength(2)
    }
  })

  test('no offer asks for a registry that waits for its operator', async () => {
    await operator.waiting(id, 'REVOC_REG_DEF')
    for (let offer = 0; offer < 3; offer++)
      await expect(allocateRevocationIndex(caller.tenantId, credentialDefinitionId)).rejects.toMatchObject({
        code: 'revocation.no_index',
      })
    await turn()
    expect(await waiting()).toHaveLength(1)
    expect(await stored()).toMatchObject({ registries: 0, writes: 1, jobs: 1 })
  })

  test('a proxy that is down is waited for', async () => {
    const [registry] = await operator.waiting(id, 'REVOC_REG_DEF')
    proxy.answerWith((_, __, response) => void response.writeHead(503).end())
    operator.write(registry)
    for (let times = 0; times < 6; times++) await turn(HOUR)
    expect(await waiting()).toEqual([registry])
    proxy.answerWith()
    const [entry] = await operator.waiting(id, 'REVOC_REG_ENTRY')
    operator.write(entry)
    await operator.hasWritten(id)
  })

  test('so is a library that does not load', async () => {
    const [registry] = await operator.waiting(id, 'REVOC_REG_DEF')
    const { anoncredsNodeJS } = await import('@hyperledger/anoncreds-nodejs')
    const list = vi.spyOn(anoncredsNodeJS, 'createRevocationStatusList').mockImplementation(() => {
      throw anonCredsUnavailable()
    })
    operator.write(registry)
    for (let times = 0; times < 5; times++) await turn(HOUR)
    expect(await waiting()).toEqual([registry])
    list.mockRestore()
    const [entry] = await operator.waiting(id, 'REVOC_REG_ENTRY')
    operator.write(entry)
    await operator.hasWritten(id)
  })

  test('when a request to the table fails once, nothing is lost', async () => {
    await ready()
    const [fault] = Object.values(FAULTS)
    if (fault === undefined) throw new Error('there is no fault')
    const faults = new StoreFaults(stage.serviceClient)
    for (let at = 1, injected = true; injected; at += STEP) {
      const issued = await issue(1)
      await revoke(issued)
      const list = `${caller.tenantId}|job|revocation-list|${issued[0]?.id}`
      const asked = await faults.inject(at, fault, () => deliver(list).catch(() => {}))
      const entry = await prepared()
      expect(entryOf(entry).revoked, `request ${at}`).toEqual([issued[0]?.index])
      operator.write(entry)
      pass(HOUR)
      const job = await jobOf('registry-write')
      const written = await faults.inject(at, fault, () => deliver(job).catch(() => {}))
      await turn(HOUR)
      await turn(HOUR)
      expect(await statesOf(issued), `request ${at}`).toEqual(['published'])
      injected = asked.injected || written.injected
    }
    expect(await stored()).toMatchObject({ registries: 1, writes: 0, jobs: 0 })
  })
})
