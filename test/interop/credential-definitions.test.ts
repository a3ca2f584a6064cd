/** Schemas and credential definitions of an agent: requested, made in the background, and readable without a token. */
import { describe, expect, test, vi } from 'vitest'
import { itemBytes } from '../../lib/store/item.ts'
import { plainItem } from '../../lib/store/plain-item.ts'
import { MAX_ITEM_BYTES } from '../../lib/store/write.ts'
import { type IndyProxy, startIndyProxy } from '../support/anoncreds/indy-proxy.ts'
import { definitionOf, schemaOf } from '../support/anoncreds/objects.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { WebvhHost } from '../support/anoncreds/webvh-host.ts'
import { createTenant } from '../support/scenes.ts'
import type { Caller, Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { itemsOf } from '../support/table/items.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { KINDS, OrganizationEndpoints, trustIssuer } from '../support/webhooks/organization-endpoints.ts'

const NAMESPACE = 'bcovrin:test'
const LEDGER_DID = 'WgWxqztrNooG92RXvxSTWv'

const issuer = await trustIssuer()
const proxy = await stopAtEnd(startIndyProxy())
const host = await stopAtEnd(WebvhHost.start())
process.env.INDY_PROXIES = JSON.stringify({ [NAMESPACE]: proxy.address })
const stage = await useStage({ delivers: false })
const receiver = await stopAtEnd(startFaultyReceiver())
await useQuickKeys()
const acme = await createTenant(stage)
const globex = await createTenant(stage)

const schemaBody = { name: 'degree', version: '1.0', attributes: ['name', 'degree', 'age'] }
const newSchema = async (caller: Caller, body: object = schemaBody): Promise<string> =>
  (await stage.call('createSchema', { caller, body })).body.schemaId
const definition = (caller: Caller, body: object) => stage.call('createCredentialDefinition', { caller, body })
const read = (caller: Caller, credentialDefinitionId: string) =>
  stage.call('getCredentialDefinitionById', { caller, path: { credentialDefinitionId } })

describe('a schema', () => {
  test('is published under the agent’s did:webvh, and its state is the answer', async () => {
    const { status, body } = await stage.call('createSchema', { caller: acme, body: schemaBody })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        state: 'finished',
        schemaId: expect.stringMatching(/^did:webvh:.*\/resources\/z\w+$/),
        schema: { name: 'degree', version: '1.0', attrNames: ['name', 'degree', 'age'] },
      },
    })
    expect(body.schemaId.startsWith(body.schema.issuerId)).toBe(true)
  })

  test('requested again is the same one', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => newSchema(acme)))
    expect(new Set(ids).size).toBe(1)
  })

  test('requested again with its attributes in another order is the same one', async () => {
    const schemaId = await newSchema(acme)
    const attributes = schemaBody.attributes.toReversed()
    const { status, body } = await stage.call('createSchema', { caller: acme, body: { ...schemaBody, attributes } })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { state: 'finished', schemaId, schema: { attrNames: schemaBody.attributes } },
    })
  })

  test.each([
    ['one attribute more', [...schemaBody.attributes, 'another']],
    ['one attribute less', schemaBody.attributes.slice(1)],
    ['another spelling', ['Name', 'degree', 'age']],
  ])('of the same name and version with %s is a 409, and no schema is published', async (_, attributes) => {
    const caller = await createTenant(stage)
    const schemaId = await newSchema(caller)
    const before = (await itemsOf(stage, `${caller.tenantId}|`)).length
    const { status, body } = await stage.call('createSchema', { caller, body: { ...schemaBody, attributes } })
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('with other attributes') },
    })
    expect(await itemsOf(stage, `${caller.tenantId}|`)).toHaveLength(before)
    expect(await newSchema(caller)).toBe(schemaId)
  })

  test('of another version, of another name, or of another tenant may have other attributes', async () => {
    const other = { ...schemaBody, attributes: ['another'] }
    const ids = [
      await newSchema(acme),
      await newSchema(acme, { ...other, version: '1.1' }),
      await newSchema(acme, { ...other, name: 'degree1' }),
      await newSchema(acme, { ...other, name: 'degree"', version: '1.0' }),
      await newSchema(await createTenant(stage), other),
    ]
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('that is requested twice concurrently, with different attributes, is made once', async () => {
    const caller = await createTenant(stage)
    await newSchema(caller, { ...schemaBody, name: 'first' })
    const asked = [['name'], ['degree'], ['age']].map((attributes) =>
      stage.call('createSchema', { caller, body: { ...schemaBody, attributes } }),
    )
    expect((await Promise.all(asked)).map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  })

  test.each(['its issuer', 'another tenant'])('is read by %s', async (who) => {
    const schemaId = await newSchema(acme)
    const caller = who === 'its issuer' ? acme : globex
    const { status, body } = await stage.call('getSchemaById', {
      caller,
      path: { schemaId: encodeURIComponent(schemaId) },
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { schemaId, schema: { name: 'degree' }, resolutionMetadata: {}, schemaMetadata: {} },
    })
  })

  test('of an impossible issuer is refused, and the message does not name the schema of the body', async () => {
    const answer = await stage.call('createSchema', {
      caller: acme,
      body: { ...schemaBody, issuerId: 'did:example:1' },
    })
    expect(answer).toMatchObject({ status: 422, body: { message: 'The request is not valid' } })
    const body = await stage.call('createSchema', { caller: acme, body: {} })
    expect(body).toMatchObject({ status: 422, body: { message: 'The body is not valid' } })
  })

  test('that is not there is a 404', async () => {
    const schemaId = await newSchema(acme)
    for (const id of [`${schemaId}x`, 'nothing', 'did:web:example.org/schema'])
      expect(
        await stage.call('getSchemaById', { caller: acme, path: { schemaId: encodeURIComponent(id) } }),
      ).toMatchObject({
        status: 404,
      })
  })
})

describe('a credential definition', () => {
  test('waits, is created in the background, and can be read by either id', async () => {
    const schemaId = await newSchema(acme)
    const asked = await definition(acme, { schemaId, tag: 'default', supportRevocation: true })
    expect(asked).toMatchObject({ status: 202, body: { state: 'wait', schemaId, tag: 'default' } })
    const { id, issuerId } = asked.body
    expect(await read(acme, id)).toMatchObject({ status: 200, body: { id, state: 'wait' } })
    await stage.line.settle()
    const made = await read(acme, id)
    const { credentialDefinitionId } = made.body
    expect(made).toMatchObject({
      status: 200,
      body: {
        id,
        state: 'finished',
        credentialDefinitionId: expect.stringMatching(/^did:webvh:.*\/resources\/z\w+$/),
        credentialDefinition: { issuerId, schemaId, tag: 'default', type: 'CL' },
        resolutionMetadata: {},
        credentialDefinitionMetadata: {},
      },
    })
    expect(made.body.credentialDefinition.value.revocation).toBeDefined()
    expect((await read(acme, encodeURIComponent(credentialDefinitionId))).body).toEqual(made.body)
    const again = await definition(acme, { schemaId, tag: 'default', supportRevocation: true })
    const { credentialDefinition } = made.body
    expect(again).toMatchObject({ status: 202, body: { id, state: 'finished', credentialDefinitionId } })
    expect(again.body.credentialDefinition).toEqual(credentialDefinition)
    const foreign = await read(globex, encodeURIComponent(credentialDefinitionId))
    expect(foreign.body).toEqual({
      credentialDefinitionId,
      credentialDefinition: made.body.credentialDefinition,
      resolutionMetadata: {},
      credentialDefinitionMetadata: {},
    })
    expect(await read(globex, id)).toMatchObject({ status: 404 })
  })
})

describe('of an issuer with a did:webvh on another host', () => {
  test.each([
    ['reserved', ['degree', 'Constructor'], /a reserved name/],
    ['the same twice for the library', ['First Name', 'firstname'], /two names/],
    ['spaces alone', ['degree', '  '], /spaces only/],
  ])('a schema with attributes that are %s is not accepted for a definition', async (what, attrNames, reason) => {
    const remoteIssuer = await host.issuer(`attributes-${what.length}`)
    const schemaId = remoteIssuer.publish({ ...schemaOf(remoteIssuer.did), attrNames })
    const { id } = (await definition(globex, { schemaId, tag: what })).body
    await stage.line.settle()
    expect((await read(globex, id)).body).toMatchObject({ state: 'failed', reason: expect.stringMatching(reason) })
  })

  test('a schema and a definition are read', async () => {
    const remoteIssuer = await host.issuer('stranger')
    const schemaId = remoteIssuer.publish(schemaOf(remoteIssuer.did))
    const id = remoteIssuer.publish(definitionOf(remoteIssuer.did, schemaId))
    const path = { schemaId: encodeURIComponent(schemaId) }
    const schema = await stage.call('getSchemaById', { caller: acme, path })
    expect(schema).toMatchObject({ status: 200, body: { schemaId, schema: schemaOf(remoteIssuer.did) } })
    const found = await read(globex, encodeURIComponent(id))
    expect(found).toMatchObject({
      status: 200,
      body: { credentialDefinitionId: id, credentialDefinition: definitionOf(remoteIssuer.did, schemaId) },
    })
  })

  test('a schema whose issuer is not the one of its id is a 404', async () => {
    const remoteIssuer = await host.issuer('liar')
    const schemaId = remoteIssuer.publish(schemaOf('did:webvh:another'))
    const path = { schemaId: encodeURIComponent(schemaId) }
    expect(await stage.call('getSchemaById', { caller: acme, path })).toMatchObject({ status: 404 })
  })
})

describe('the list', () => {
  test('shows the definitions of the agent and of no other, a page at a time', async () => {
    const caller = await createTenant(stage)
    const schemaId = await newSchema(caller)
    for (const tag of ['one', 'two']) await definition(caller, { schemaId, tag })
    const first = await stage.call('getCredentialDefinitions', { caller, query: { limit: '1' } })
    expect(first.body).toMatchObject([{ tag: 'one', state: 'wait', schemaId }])
    const next = new URL(/<([^>]+)>/.exec(first.headers.link ?? '')?.[1] ?? '')
    const query = Object.fromEntries(next.searchParams)
    expect((await stage.call('getCredentialDefinitions', { caller, query })).body).toMatchObject([{ tag: 'two' }])
    await stage.line.settle()
    const waiting = await stage.call('getCredentialDefinitions', { caller, query: { state: 'wait' } })
    expect(waiting.body).toEqual([])
    const other = await stage.call('getCredentialDefinitions', { caller: await createTenant(stage) })
    expect(other.body).toEqual([])
  })
})

describe('refused with a 422', () => {
  const attributes = (names: string[]) => ({ ...schemaBody, attributes: names })
  const many = (count: number) => Array.from({ length: count }, (_, index) => `attribute ${index}`)

  test.each<[string, object, string]>([
    ['no attribute', attributes([]), 'attributes'],
    ['126 attributes', attributes(many(126)), 'attributes'],
    ['names that differ in spaces and case', attributes(['First name', 'firstNAME']), 'attributes'],
    ['a name of spaces', attributes(['  ']), 'attributes'],
    ['a name of 257 characters', attributes(['x'.repeat(257)]), 'attributes.0'],
    ['an invalid version', { ...schemaBody, version: '1.0-beta' }, 'version'],
    ['a version of dots', { ...schemaBody, version: '..' }, 'version'],
    ['a name with a line end', { ...schemaBody, name: 'a\nb' }, 'name'],
    ['an issuer of a method without registry', { ...schemaBody, issuerId: 'did:example:me' }, 'issuerId'],
    ['an issuer on an unknown ledger', { ...schemaBody, issuerId: `did:indy:other:${LEDGER_DID}` }, 'issuerId'],
    ['an unknown field', { ...schemaBody, attrNames: ['a'] }, 'attrNames'],
  ])('a schema with %s', async (_, body, field) => {
    const answer = await stage.call('createSchema', { caller: acme, body })
    expect(answer.status).toBe(422)
    expect(answer.body.details.map(({ path }: Json) => path)).toContain(field)
  })

  test('a schema or definition in the name of another agent', async () => {
    const schema = (await stage.call('createSchema', { caller: globex, body: schemaBody })).body
    const issuerId = schema.schema.issuerId
    const expected = { status: 422, body: { details: [{ path: 'issuerId', message: 'is not a DID of this agent' }] } }
    const body = { ...schemaBody, issuerId }
    expect(await stage.call('createSchema', { caller: acme, body })).toMatchObject(expected)
    expect(await definition(acme, { schemaId: schema.schemaId, tag: 'x', issuerId })).toMatchObject(expected)
  })

  test.each<[string, object, string]>([
    ['no tag', { tag: '' }, 'tag'],
    ['a schema of a method without registry', { schemaId: 'did:example:me/schema' }, 'schemaId'],
    ['a schema id of 4,097 characters', { schemaId: `did:webvh:${'x'.repeat(4087)}` }, 'schemaId'],
    ['registries of 99', { supportRevocation: true, revocationRegistrySize: 99 }, 'revocationRegistrySize'],
    ['registries of 5,001', { supportRevocation: true, revocationRegistrySize: 5001 }, 'revocationRegistrySize'],
    [
      'registries of one and a half',
      { supportRevocation: true, revocationRegistrySize: 150.5 },
      'revocationRegistrySize',
    ],
  ])('a definition with %s', async (_, more, field) => {
    const answer = await definition(acme, { schemaId: await newSchema(acme), tag: 'refused', ...more })
    expect(answer.status).toBe(422)
    expect(answer.body.details.map(({ path }: Json) => path)).toContain(field)
  })
})

describe('the organization of the agent hears of every state', () => {
  test('of a definition, also of one whose schema is as large as it may be', async () => {
    const caller = await createTenant(stage)
    const organization = await OrganizationEndpoints.register({ stage, receiver, issuer }, caller.tenantId)
    const names = Array.from({ length: 125 }, (_, index) => `${index} `.padEnd(256, 'x'))
    const schemaId = await newSchema(caller, { ...schemaBody, attributes: names })
    const { id } = (await definition(caller, { schemaId, tag: 'largest', supportRevocation: true })).body
    await stage.line.settle()
    const made = (await read(caller, id)).body
    expect(made.state).toBe('finished')
    expect(Object.keys(made.credentialDefinition.value.primary.r)).toHaveLength(126)
    for (const kind of KINDS) {
      const heard = organization.heard(kind)
      expect(heard.map(({ type, recordId }) => [type, recordId])).toEqual([
        ['credential_definition.state_changed', id],
        ['credential_definition.state_changed', id],
      ])
      expect(heard.map(({ previousState, body }) => [previousState, body.data.record.state])).toEqual([
        [undefined, 'wait'],
        ['wait', 'finished'],
      ])
    }
    const [, told] = organization.heard('webhook')
    expect(told?.body.data.record).toMatchObject({ id, schemaId, credentialDefinitionId: made.credentialDefinitionId })
    const items = await itemsOf(stage, `${caller.tenantId}|`)
    expect(Math.max(...items.map((item) => JSON.stringify(plainItem(item)).length))).toBeGreaterThan(100_000)
    expect(Math.max(...items.map(itemBytes))).toBeLessThan(MAX_ITEM_BYTES)
  })
})

describe('of an issuer whose host fails', () => {
  test.each<[number, number]>([
    [404, 404],
    [410, 404],
    [500, 503],
    [503, 503],
  ])('with a %i: a schema and a definition are a %i', async (answered, status) => {
    const remoteIssuer = await host.issuer(`fails-with-${answered}`)
    const schemaId = remoteIssuer.publish(schemaOf(remoteIssuer.did))
    const id = remoteIssuer.publish(definitionOf(remoteIssuer.did, schemaId))
    for (const one of [schemaId, id])
      remoteIssuer.serveText(`resources/${one.split('/').at(-1)}`, (response) => response.writeHead(answered).end())
    const path = { schemaId: encodeURIComponent(schemaId) }
    const answers = [
      await stage.call('getSchemaById', { caller: acme, path }),
      await read(acme, encodeURIComponent(id)),
    ]
    for (const { status: given, headers } of answers)
      expect({ given, retryAfter: headers['retry-after'] }).toEqual({
        given: status,
        retryAfter: status === 503 ? expect.stringMatching(/^[1-9]/) : undefined,
      })
  })
})

describe('of an issuer on an Indy ledger', () => {
  const issuerId = `did:indy:${NAMESPACE}:${LEDGER_DID}`
  const write = ({ ledgerTransaction }: Json) => proxy.write(ledgerTransaction.request, Math.floor(Date.now() / 1000))

  /** Checks again whatever waits for its ledger. */
  const lookAgain = async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
    await stage.line.sweep()
    await stage.line.settle()
    vi.useRealTimers()
  }

  test('a schema is an action, and finished once the ledger has exactly this', async () => {
    const body = { ...schemaBody, issuerId, name: 'on a ledger' }
    const schema = () => stage.call('createSchema', { caller: acme, body })
    const asked = await schema()
    expect(asked).toMatchObject({
      status: 200,
      body: {
        state: 'action',
        schemaId: `${issuerId}/anoncreds/v0/SCHEMA/on a ledger/1.0`,
        schema: { issuerId, attrNames: schemaBody.attributes },
        ledgerTransaction: { namespace: NAMESPACE, request: { identifier: LEDGER_DID, operation: { type: '101' } } },
      },
    })
    const path = { schemaId: encodeURIComponent(asked.body.schemaId) }
    expect(await stage.call('getSchemaById', { caller: acme, path })).toMatchObject({ status: 404 })
    write(asked.body)
    expect((await schema()).body).toMatchObject({ state: 'finished', schemaId: asked.body.schemaId })
    const found = await stage.call('getSchemaById', { caller: globex, path })
    expect(found).toMatchObject({ status: 200, body: { schema: { issuerId, name: 'on a ledger' } } })
    const other = await stage.call('createSchema', { caller: acme, body: { ...body, attributes: ['another'] } })
    expect(other).toMatchObject({ status: 422, body: { details: [{ path: 'issuerId' }] } })
  })

  test("a ledger that does not answer is a 503, which does not reveal its proxy's URL", async () => {
    proxy.answerWith((_, __, response) => void response.writeHead(500).end('secret'))
    const { status, body } = await stage.call('createSchema', { caller: acme, body: { ...schemaBody, issuerId } })
    proxy.answerWith(undefined)
    expect(status).toBe(503)
    expect(JSON.stringify(body)).not.toMatch(/http|secret|127\.0\.0\.1|localhost/)
  })

  test.each<[string, Parameters<IndyProxy['answerWith']>[0]]>([
    ['is down', (_, __, response) => void response.writeHead(503).end()],
    ['answers something else', () => ({ hello: 'world' })],
  ])('a schema is a 503 where the ledger’s proxy %s', async (_, answer) => {
    const body = { ...schemaBody, issuerId, name: 'not on the ledger' }
    proxy.answerWith(answer)
    expect(await stage.call('createSchema', { caller: acme, body })).toMatchObject({ status: 503 })
    proxy.answerWith()
    expect(await stage.call('createSchema', { caller: acme, body })).toMatchObject({ body: { state: 'action' } })
  })

  test('a definition of an issuer that names no ledger is a 422', async () => {
    const { schemaId } = (await stage.call('createSchema', { caller: acme, body: { ...schemaBody, issuerId } })).body
    const { status, body } = await definition(acme, { schemaId, tag: 'nameless', issuerId: LEDGER_DID })
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { details: [{ path: 'issuerId', message: expect.stringContaining('did:indy:<namespace>') }] },
    })
  })

  test('a definition is an action, and finished once the ledger has exactly this', async () => {
    const schema = await stage.call('createSchema', { caller: acme, body: { ...schemaBody, issuerId } })
    write(schema.body)
    const { schemaId } = schema.body
    const { id } = (await definition(acme, { schemaId, tag: 'indy', issuerId })).body
    await stage.line.settle()
    const action = (await read(acme, id)).body
    expect(action).toMatchObject({
      state: 'action',
      credentialDefinitionId: expect.stringMatching(/CLAIM_DEF\/\d+\/indy$/),
      ledgerObjects: [
        {
          type: 'CLAIM_DEF',
          transaction: { namespace: NAMESPACE, request: { operation: { type: '102', tag: 'indy' } } },
        },
      ],
    })
    expect(action).not.toHaveProperty('credentialDefinition')
    expect((await read(acme, encodeURIComponent(action.credentialDefinitionId))).body).toEqual(action)
    const ledgerTransaction = action.ledgerObjects[0].transaction
    write({ ledgerTransaction })
    await lookAgain()
    const made = (await read(acme, encodeURIComponent(action.credentialDefinitionId))).body
    expect(made).toMatchObject({
      ...{ id, state: 'finished', credentialDefinitionId: action.credentialDefinitionId },
      credentialDefinition: { issuerId, schemaId, tag: 'indy', type: 'CL' },
    })
    expect(made).not.toHaveProperty('ledgerObjects')
    expect(made.credentialDefinition.value).toEqual(ledgerTransaction.request.operation.data)
    const path = { credentialDefinitionId: encodeURIComponent(action.credentialDefinitionId) }
    const foreign = await stage.call('getCredentialDefinitionById', { caller: globex, path })
    expect(foreign.body.credentialDefinition).toEqual(made.credentialDefinition)
  })

  test('a definition of a schema that is named by its unqualified id is the same one', async () => {
    const caller = await createTenant(stage)
    const schema = await stage.call('createSchema', { caller, body: { ...schemaBody, issuerId } })
    if (schema.body.state === 'action') write(schema.body)
    const { schemaId } = schema.body
    const first = await definition(caller, { schemaId, tag: 'twice', issuerId })
    const second = await definition(caller, { schemaId: `${LEDGER_DID}:2:degree:1.0`, tag: 'twice', issuerId })
    expect(second).toMatchObject({ status: 202, body: { id: first.body.id, schemaId } })
    await stage.line.settle()
    expect((await read(caller, first.body.id)).body).toMatchObject({ state: 'action' })
  })
})
