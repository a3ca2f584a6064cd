/** Credential definitions amid repetition, crashes and too many requests: one is made and published once, or its reason says why not. */
import type { SQSEvent } from 'aws-lambda'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { testWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { STEP } from '../support/depth.ts'
import { createTenant } from '../support/scenes.ts'
import type { Caller, Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { Interleaving } from '../support/table/interleaving.ts'
import { itemsOf } from '../support/table/items.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'

let caller: Caller & { tenantId: string }
let schemaId: string

const schemaBody = { name: 'degree', version: '1.0', attributes: ['name', 'degree', 'age'] }
const LEASE = 90_000
const DAY = 24 * 60 * 60_000

vi.useFakeTimers({ toFake: ['Date'] })
const stage = await useStage({ delivers: false })
const keys = await useQuickKeys()
const faults = new StoreFaults(stage.serviceClient)
const interleaving = new Interleaving(stage.serviceClient)
afterAll(async () => {
  vi.useRealTimers()
  expect(await checkTable(stage.client, stage.table)).toEqual([])
})
beforeEach(async () => {
  keys.before = async () => {}
  await stage.line.settle()
  keys.made = 0
  caller = (await createTenant(stage)) as typeof caller
  schemaId = (await stage.call('createSchema', { caller, body: schemaBody })).body.schemaId
})

const define = (more: object = {}) =>
  stage.call('createCredentialDefinition', { caller, body: { schemaId, tag: 'default', ...more } })
const read = async (credentialDefinitionId: string): Promise<Json> =>
  (await stage.call('getCredentialDefinitionById', { caller, path: { credentialDefinitionId } })).body
const list = async (query: Record<string, string> = {}): Promise<Json[]> =>
  (await stage.call('getCredentialDefinitions', { caller, query })).body
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

/** One delivery of a wake-up, as Lambda makes it. */
const deliver = async (id: string): Promise<string[]> => {
  const { runJobs } = await import('../../functions/run-jobs.ts')
  const body = JSON.stringify({ job: `${caller.tenantId}|job|credential-definition|${id}` })
  const event = { Records: [{ messageId: id, body }] } as unknown as SQSEvent
  const { batchItemFailures } = await stage.line.guard.run('runJobs', () => runJobs(event))
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
}

/** What of a definition is in the table, by type of record. */
const stored = async () => {
  const kinds = ['AnonCredsCredentialDefinitionRecord', 'AnonCredsCredentialDefinitionPrivateRecord']
  const counts = await Promise.all(
    [...kinds, 'AnonCredsKeyCorrectnessProofRecord', 'job'].map(async (type) => {
      const items = await itemsOf(stage, `${caller.tenantId}|${type}|`)
      return items.filter(({ kind }) => kind?.S !== 'entry').length
    }),
  )
  const resources = await itemsOf(stage, `${caller.tenantId}|webvh|resource|`)
  return [...counts, resources.length]
}
/** One of each record, no job, and two resources: the schema and the definition. */
const ONE = [1, 1, 1, 0, 2]

describe('is made once', () => {
  test('when it is requested three times concurrently', async () => {
    const answers = await Promise.all([define(), define(), define()])
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await list()).toHaveLength(1)
  })

  test('when another call for it takes the last slot, before whichever request of the first one', async () => {
    for (let at = 1, isMet = true; isMet; at++) {
      caller = (await createTenant(stage)) as typeof caller
      schemaId = (await stage.call('createSchema', { caller, body: schemaBody })).body.schemaId
      await define({ tag: 'another' })
      const run = await interleaving.run(at, define, define)
      isMet = run.isMet
      expect(run.result.status, `request ${at}`).toBe(202)
      expect(await list(), `request ${at}`).toHaveLength(2)
    }
  })

  test('when a request to the table fails once', async () => {
    const [fault] = Object.values(FAULTS)
    if (fault === undefined) throw new Error('there is no fault')
    for (let at = 1, injected = true; injected; at += STEP) {
      caller = (await createTenant(stage)) as typeof caller
      schemaId = (await stage.call('createSchema', { caller, body: schemaBody })).body.schemaId
      const { id } = (await define()).body
      const run = await faults.inject(at, fault, () => deliver(id).catch(() => []))
      injected = run.injected
      for (let turn = 0; turn < 3; turn++) {
        pass(LEASE)
        await deliver(id)
      }
      expect(await read(id), `request ${at}`).toMatchObject({ state: 'finished' })
      expect(await stored(), `request ${at}`).toEqual(ONE)
    }
  })
})

test('a size of registries without revocation is a 422, and nothing is made', async () => {
  expect(await define({ revocationRegistrySize: 100 })).toMatchObject({
    status: 422,
    body: { details: [{ path: 'revocationRegistrySize' }] },
  })
  expect(await list()).toEqual([])
})

describe('requested again', () => {
  test('it is the existing one, whatever its state', async () => {
    const asked = await define({ supportRevocation: true })
    expect(await define({ supportRevocation: true })).toEqual({ ...asked, headers: expect.anything() })
    await stage.line.settle()
    expect((await define({ supportRevocation: true, revocationRegistrySize: 1000 })).body).toMatchObject({
      id: asked.body.id,
      state: 'finished',
    })
  })

  test.each([{ supportRevocation: true }, { supportRevocation: true, revocationRegistrySize: 100 }])(
    'with other options it is a 409: %j',
    async (more) => {
      await define({ supportRevocation: true, revocationRegistrySize: 200 })
      expect(await define(more)).toMatchObject({
        status: 409,
        body: { message: 'there is a credential definition with other options' },
      })
    },
  )

  testWithLibrary('after a failure it starts again, with any options', async () => {
    keys.before = () => Promise.reject(new Error('the library is broken'))
    const failed = (await define()).body.id
    for (let attempt = 1; attempt <= 3; attempt++) {
      await deliver(failed)
      pass(60_000)
    }
    expect(await read(failed)).toMatchObject({ state: 'failed', reason: 'an internal error' })
    keys.before = async () => {}
    const again = await define({ supportRevocation: true })
    expect(again).toMatchObject({ status: 202, body: { state: 'wait' } })
    await stage.line.settle()
    expect(await read(again.body.id)).toMatchObject({ state: 'finished', supportRevocation: true })
    expect((await list()).map(({ state }) => state)).toEqual(['failed', 'finished'])
    expect(await list({ state: 'failed' })).toMatchObject([{ id: failed }])
  })

  test('with a schema that was not published it fails, and its reason says so', async () => {
    const { id } = (await define({ schemaId: `${schemaId}x` })).body
    for (let attempt = 1; attempt <= 3; attempt++) {
      await deliver(id)
      pass(60_000)
    }
    expect(keys.made).toBe(0)
    expect(await read(id)).toMatchObject({ state: 'failed', reason: 'its schema does not exist in the registry' })
  })
})

describe('a tenant has', () => {
  const tags = async (count: number) => {
    const answers: Json[] = []
    for (let tag = 0; tag < count; tag++) answers.push(await define({ tag: `tag-${answers.length}-${Date.now()}` }))
    return answers
  }

  test('two generated at a time, and the next one when one of them is done', async () => {
    const [first, second, third] = await tags(3)
    expect([first.status, second.status]).toEqual([202, 202])
    expect(third).toMatchObject({
      status: 429,
      body: { error: 'Too Many Requests', message: '2 credential definitions are being generated already' },
    })
    await deliver(first.body.id)
    expect(await define({ tag: 'next' })).toMatchObject({ status: 202 })
    // Another tenant is not held up.
    const other = await createTenant(stage)
    const body = { schemaId, tag: 'default' }
    expect(await stage.call('createCredentialDefinition', { caller: other, body })).toMatchObject({ status: 202 })
  })

  test('two at a time of ten that are requested concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, tag) => define({ tag: `at-once-${tag}` })))
    const taken = answers.filter(({ status }) => status === 202)
    expect(taken.length).toBeGreaterThan(0)
    expect(taken.length).toBeLessThanOrEqual(2)
    for (const { status } of answers) expect([202, 409, 429]).toContain(status)
    expect(await list()).toHaveLength(taken.length)
  })

  test('50 generated in a day, and more on the next day', async () => {
    vi.setSystemTime(Math.ceil(Date.now() / DAY) * DAY)
    for (let pair = 0; pair < 25; pair++) {
      // Both find the same slot free: one must try again, and counts once.
      const answers = await Promise.all([define({ tag: `first-${pair}` }), define({ tag: `second-${pair}` })])
      expect(answers.map(({ status }) => status)).toEqual([202, 202])
      for (const { body } of answers) await deliver(body.id)
    }
    pass(DAY - 1)
    expect(await define({ tag: 'one more' })).toMatchObject({
      status: 429,
      body: { message: '50 credential definitions were created today (UTC) already' },
    })
    pass(1)
    expect(await define({ tag: 'one more' })).toMatchObject({ status: 202 })
  })
})

test('a failed one no longer counts as one in progress', async () => {
  keys.before = () => Promise.reject(new Error('the library is broken'))
  const ids = [(await define({ tag: 'a' })).body.id, (await define({ tag: 'b' })).body.id]
  expect(await define({ tag: 'c' })).toMatchObject({ status: 429 })
  for (let attempt = 1; attempt <= 3; attempt++) {
    for (const id of ids) await deliver(id)
    pass(60_000)
  }
  expect(await define({ tag: 'c' })).toMatchObject({ status: 202 })
})
