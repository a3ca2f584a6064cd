/** Revocation registries amid repetition and crashes, under a did:webvh and on an Indy ledger: one is made, and published once. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SQSEvent } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ensureRegistry } from '../../lib/revocation/registry.ts'
import { type IndyProxy, startIndyProxy } from '../support/anoncreds/indy-proxy.ts'
import { LedgerOperator } from '../support/anoncreds/ledger-operator.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { degreeOffer } from '../support/anoncreds/revocable-degree.ts'
import { STEP } from '../support/depth.ts'
import { createTenant } from '../support/scenes.ts'
import {
  type Caller,
  type InProcessStage,
  type Json,
  type Reply,
  startInProcessStage,
} from '../support/stage/in-process-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'

const LEASE = 90_000
const INDY_ISSUER = 'did:indy:local:WgWxqztrNooG92RXvxSTWv'

describeWithLibrary('a revocation registry', () => {
  let stage: InProcessStage
  let proxy: IndyProxy
  let faults: StoreFaults
  let caller: Caller & { tenantId: string }
  let operator: LedgerOperator
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registries-'))
    process.env.TMPDIR = folder
    vi.useFakeTimers({ toFake: ['Date'] })
    proxy = await startIndyProxy()
    process.env.INDY_PROXIES = JSON.stringify({ local: proxy.address })
    stage = await startInProcessStage()
    faults = new StoreFaults(stage.serviceClient)
    await useQuickKeys()
  })
  afterAll(async () => {
    vi.useRealTimers()
    await stage.stop()
    await proxy.stop()
    await rm(folder, { recursive: true })
  })
  afterEach(async () => {
    expect(await checkTable(stage.client, stage.table)).toEqual([])
    // A process that creates many registries has room for few files.
    expect(await readdir(tmpdir())).toEqual([])
  })

  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

  /** The same job again, as often as it is woken. */
  const deliver = async (job: string): Promise<void> => {
    const { runJobs } = await import('../../functions/run-jobs.ts')
    const event = { Records: [{ messageId: 'a', body: JSON.stringify({ job }) }] } as unknown as SQSEvent
    await stage.line.guard.run('runJobs', () => runJobs(event))
  }

  const jobs = async (): Promise<string[]> =>
    (await itemsOf(stage, `${caller.tenantId}|job|`)).map(({ pk }) => pk?.S ?? '')

  /** How many there are of what a registry is made of. A piece of a tails file is public: all tenants' are counted. */
  const stored = async () => {
    const count = async (prefix: string): Promise<number> =>
      (await itemsOf(stage, prefix)).filter(({ kind }) => kind?.S !== 'entry').length
    const of = (name: string) => count(`${caller.tenantId}|${name}|`)
    return {
      definitions: await of('AnonCredsRevocationRegistryDefinitionRecord'),
      secrets: await of('AnonCredsRevocationRegistryDefinitionPrivateRecord'),
      registries: await of('revocation-registry'),
      writes: await of('ledger-object'),
      resources: await of('webvh|resource'),
      tails: await count('@tails|'),
    }
  }

  interface Place {
    /** A revocable definition that is finished, and whose first registry is asked for. */
    define: () => Promise<Json>
    /** What another registry adds to the table. */
    adds: Awaited<ReturnType<typeof stored>>
    /** Does what remains to be done then. */
    publish: (definition: Json) => Promise<void>
    /** The expected 409 of an offer until then. */
    waits: { words: string; seconds: string }
  }

  const places: Record<string, Place> = {
    'under a did:webvh': {
      define: async () => {
        const body = { name: 'degree', version: '1.0', attributes: ['name', 'degree', 'age'] }
        const { schemaId } = (await stage.call('createSchema', { caller, body })).body
        const asked = await stage.call('createCredentialDefinition', {
          caller,
          body: { schemaId, tag: 'default', supportRevocation: true, revocationRegistrySize: 100 },
        })
        for (const job of await jobs()) await deliver(job)
        return operator.read(asked.body.id)
      },
      // The registry's definition and its first list are resources.
      adds: { definitions: 1, secrets: 1, registries: 1, writes: 0, resources: 2, tails: 1 },
      publish: async () => {},
      waits: { words: 'is being created', seconds: '2' },
    },
    'on an Indy ledger': {
      define: () => operator.define(INDY_ISSUER, 'default'),
      // In both spellings of the ledger's ids; the registry's definition waits for the operator.
      adds: { definitions: 2, secrets: 2, registries: 0, writes: 1, resources: 0, tails: 1 },
      publish: async ({ id }) => {
        for (const type of ['REVOC_REG_DEF', 'REVOC_REG_ENTRY']) operator.write((await operator.waiting(id, type))[0])
        await operator.hasWritten(id)
      },
      waits: { words: 'must be written to the ledger', seconds: '60' },
    },
  }

  describe.each(Object.entries(places))('%s', (_, { define, adds, publish, waits }) => {
    let definition: Json
    /** The answer to an offer that came before the first registry. */
    let early: Reply
    let number = 1
    /** What there was before it was asked for. */
    let found: Awaited<ReturnType<typeof stored>>

    /** Whatever is due is done. */
    const turn = async () => {
      pass(LEASE)
      await stage.line.sweep()
      await stage.line.settle()
    }

    beforeAll(async () => {
      caller = (await createTenant(stage)) as typeof caller
      operator = new LedgerOperator({ stage, caller }, proxy, turn)
      definition = await define()
      early = await offer()
      await turn()
      await publish(definition)
    })

    const offer = (): Promise<Reply> => {
      const { connectionId: _, ...body } = degreeOffer('', definition.credentialDefinitionId)
      return stage.call('createOfferOob', { caller, body })
    }

    test('that is not there yet makes an offer a 409, which says what it waits for and when to retry', async () => {
      expect(early).toMatchObject({
        status: 409,
        headers: { 'retry-after': waits.seconds },
        body: { message: expect.stringContaining(waits.words) },
      })
      expect((await offer()).status).toBe(200)
    })

    /** Asks for the next registry. Resolves to its job, which is not woken. */
    const wanted = async (): Promise<string> => {
      const { credentialDefinitionId } = definition
      found = await stored()
      number += 1
      await ensureRegistry({ tenant: caller.tenantId, credentialDefinitionId, number, size: 100 })
      const job = (await jobs()).find((name) => name.includes(`|revocation-registry|${number}.`))
      if (job === undefined) throw new Error('no registry is asked for')
      return job
    }

    const expectOneMore = async (what?: string): Promise<void> => {
      const now = await stored()
      const added = Object.entries(now).map(([name, count]) => [name, count - found[name as keyof typeof found]])
      expect(Object.fromEntries(added), what).toEqual(adds)
    }

    test('is made once when a request to the table fails once', async () => {
      const [fault] = Object.values(FAULTS)
      if (fault === undefined) throw new Error('there is no fault')
      for (let at = 1, injected = true; injected; at += STEP) {
        const job = await wanted()
        const run = await faults.inject(at, fault, () => deliver(job).catch(() => {}))
        injected = run.injected
        for (let times = 0; times < 3; times++) {
          pass(LEASE)
          await deliver(job)
        }
        await expectOneMore(`request ${at}`)
      }
    })
  })
})
