/** Schemas and credential definitions of an agent: asked for, made in the background, and read by everybody. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTenant } from '../support/scenes.ts'
import { type Caller, type InProcessStage, startInProcessStage } from '../support/stage/in-process-stage.ts'

let stage: InProcessStage
let acme: Caller
let globex: Caller

beforeAll(async () => {
  stage = await startInProcessStage()
  acme = await createTenant(stage)
  globex = await createTenant(stage)
})
afterAll(() => stage.stop())

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

  test('asked for again is the same one', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => newSchema(acme)))
    expect(new Set(ids).size).toBe(1)
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
  test('waits, is made in the background, and is read by either id', { timeout: 120_000 }, async () => {
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
