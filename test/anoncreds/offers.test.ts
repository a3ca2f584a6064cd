/** Offers of AnonCreds to a wallet: on a connection and in an invitation, in every format and version. */
import { randomUUID } from 'node:crypto'
import {
  AnonCredsCredentialDefinitionRecord,
  AnonCredsCredentialDefinitionRepository,
  getQualifiedDidIndyDid,
} from '@credo-ts/anoncreds'
import { TypedArrayEncoder } from '@credo-ts/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import {
  INDY_IDS as INDY,
  INDY_ISSUER,
  type OperatedLedger,
  startOperatedLedger,
} from '../support/anoncreds/operated-ledger.ts'
import { OTHER_DEGREE_KEYS } from '../support/anoncreds/prepared-definition.ts'
import { type AnonCredsWorld, definitionOf, inTenant, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import { expectExample } from '../support/api/example.ts'
import { createTenant, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

describeWithLibrary('offers of AnonCreds', () => {
  const VALUES = [
    { name: 'degree', value: 'Bachelor', mimeType: 'text/plain' },
    { name: 'age', value: '24' },
  ]
  const SHOWN = [
    { name: 'degree', value: 'Bachelor', 'mime-type': 'text/plain' },
    { name: 'age', value: '24' },
  ]

  let world: AnonCredsWorld
  let ledger: OperatedLedger
  let foreign: string

  beforeAll(async () => {
    world = await startAnonCredsWorld()
    ledger = await startOperatedLedger()
    await definitionOf(world.caller.tenantId, { registry: ledger.registry, issuerId: INDY_ISSUER })
    const { tenantId } = await createTenant(world.stage)
    foreign = (await definitionOf(tenantId, { tag: 'foreign', keys: OTHER_DEGREE_KEYS })).credentialDefinitionId
  })
  afterAll(async () => {
    await world.stop()
    await ledger.stop()
  })

  const ids = () => ({ schemaId: world.schemaId, credentialDefinitionId: world.credentialDefinitionId })
  const anoncreds = (attributes: object[] = VALUES) => ({
    credentialDefinitionId: world.credentialDefinitionId,
    attributes,
  })
  const indy = { credentialDefinitionId: INDY.credentialDefinitionId, attributes: VALUES }
  const DEFINITION = {
    ...{ issuerId: INDY_ISSUER, schemaId: INDY.schemaId, tag: 't' },
    type: 'CL' as const,
    value: { primary: {} },
  }
  const jsonld = () => offerBody(world.connectionId, world.wallet.did).credentialFormats.jsonld

  const offer = (credentialFormats: object, more: object = {}) =>
    world.stage.call('createOffer', {
      caller: world.caller,
      body: { connectionId: world.connectionId, protocolVersion: 'v2', credentialFormats, ...more },
    })

  const offerOutOfBand = (credentialFormats: object, more: object = {}) =>
    world.stage.call('createOfferOob', {
      caller: world.caller,
      body: { protocolVersion: 'v2', credentialFormats, ...more },
    })

  const done = (credentialRecordId: string): Promise<Json> =>
    waitFor('the credential exchange to be done', async () => {
      const { body } = await world.stage.call('getCredentialById', {
        caller: world.caller,
        path: { credentialRecordId },
      })
      if (body.state === 'abandoned') throw new Error(body.errorMessage)
      return body.state === 'done' && body
    })

  const heldBy = async ({ threadId }: Json): Promise<Json> => {
    const exchanges = await world.wallet.credentialExchanges()
    return exchanges.find((exchange) => exchange.threadId === threadId)
  }

  describe.each<[string, () => object, () => object, object]>([
    ['anoncreds', () => ({ anoncreds: anoncreds() }), ids, {}],
    ['indy', () => ({ indy }), () => INDY, {}],
    ['indy of version 1', () => ({ indy }), () => INDY, { protocolVersion: 'v1' }],
  ])('%s', (_, formats, expected, more) => {
    test('is offered, issued and shown', async () => {
      const { status, body } = await offer(formats(), { comment: 'Your degree', ...more })
      expect(status).toBe(200)
      expect(body).toMatchObject({ state: 'offer-sent', credentialAttributes: SHOWN })
      const exchange = await done(body.id)
      expect(exchange.metadata['_internal/indyCredential']).toEqual(expected())
      expect(exchange).toMatchObject({ credentials: [], credentialAttributes: SHOWN, role: 'issuer' })
      expect(Object.keys(exchange.metadata).toSorted()).toEqual(['_anoncreds/credential', '_internal/indyCredential'])
      const { credentials } = await heldBy(body)
      expect(credentials).toEqual([{ credentialRecordType: 'w3c', credentialRecordId: expect.any(String) }])
    })

    test('is offered in an invitation, which a wallet without a connection takes', async () => {
      const { status, body } = await offerOutOfBand(formats(), { label: 'University', goalCode: 'issue-vc', ...more })
      expect(status).toBe(200)
      expect(body).toEqual({
        invitationUrl: expect.stringContaining('?oob='),
        shortInvitationUrl: expect.stringContaining(`/url/${body.invitation['@id']}`),
        invitation: expect.objectContaining({ label: 'University', goal_code: 'issue-vc' }),
        outOfBandRecord: expect.objectContaining({ state: 'await-response' }),
        outOfBandRecordId: body.outOfBandRecord.id,
        invitationDid: expect.stringMatching(/^did:peer:2/),
        credentialRecordId: expect.any(String),
        credentialRecordThId: expect.any(String),
        credentialRequestThId: expect.any(String),
      })
      const [attachment] = body.invitation['requests~attach']
      const carried = JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString())
      expect(carried['~thread']).toEqual({ thid: body.credentialRequestThId, pthid: body.invitation['@id'] })
      await world.wallet.connect(body.invitationUrl)
      const exchange = await done(body.credentialRecordId)
      expect(exchange).toMatchObject({
        threadId: body.credentialRequestThId,
        parentThreadId: body.invitation['@id'],
        connectionId: expect.any(String),
        metadata: { '_internal/indyCredential': expected() },
      })
    })
  })

  describe('an offer in an invitation, accepted without a connection', () => {
    test('is acknowledged by the wallet', async () => {
      const { body } = await offerOutOfBand({ anoncreds: anoncreds() })
      const { oob } = world.wallet.agent.didcomm
      const invitation = await oob.parseInvitation(body.invitationUrl)
      invitation.handshakeProtocols = undefined as never
      await oob.receiveInvitation(invitation, { label: 'Wallet' })
      const exchange = await done(body.credentialRecordId)
      expect(exchange.connectionId).toBeUndefined()
    })

    test('is acknowledged by the key that has asked for the credential, and by no other', async () => {
      const { body } = await offerOutOfBand({ jsonld: jsonld() })
      const stateNow = async () => {
        const path = { credentialRecordId: body.credentialRecordId }
        return (await world.stage.call('getCredentialById', { caller: world.caller, path })).body.state
      }
      const raw = new RawMessages(world.wallet)
      const route = await raw.routeToDid(body.invitationDid)
      const [senderKey, stranger] = [await raw.newKey(), await raw.newKey()]
      const serviceOf = (key: typeof senderKey) => ({
        '~service': {
          recipientKeys: [TypedArrayEncoder.toBase58(key.publicKey.publicKey)],
          serviceEndpoint: 'http://127.0.0.1:1',
        },
      })
      const message = (name: string, more: object) => ({
        '@type': `https://didcomm.org/issue-credential/2.0/${name}`,
        '@id': randomUUID(),
        '~thread': { thid: body.credentialRequestThId, pthid: body.invitation['@id'] },
        '~transport': { return_route: 'all' },
        ...more,
      })
      const [attachment] = body.invitation['requests~attach']
      const offered = JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString())
      const request = message('request-credential', {
        ...serviceOf(senderKey),
        formats: [{ attach_id: 'detail', format: 'aries/ld-proof-vc-detail@v1.0' }],
        'requests~attach': [{ ...offered['offers~attach'][0], '@id': 'detail' }],
      })
      expect((await raw.send(request, { ...route, senderKey })).status).toBe(200)
      expect(await stateNow()).toBe('credential-issued')
      const ack = (more: object = {}) => message('ack', { status: 'OK', ...more })
      expect((await raw.send(ack(serviceOf(stranger)), { ...route, senderKey: stranger })).status).toBe(400)
      expect(await stateNow()).toBe('credential-issued')
      expect((await raw.send(ack(), { ...route, senderKey })).status).toBe(200)
      expect(await stateNow()).toBe('done')
    })
  })

  test('an id that definitions on two ledgers have is rejected', async () => {
    const { tenantId } = await createTenant(world.stage)
    await inTenant(tenantId, async ({ context }) => {
      const definitions = context.resolve(AnonCredsCredentialDefinitionRepository)
      for (const namespace of ['one', 'two'])
        await definitions.save(
          context,
          new AnonCredsCredentialDefinitionRecord({
            credentialDefinitionId: getQualifiedDidIndyDid(indy.credentialDefinitionId, namespace),
            ...{ credentialDefinition: DEFINITION, methodName: 'indy' },
          }),
        )
    })
    for (const formats of [{ indy }, { anoncreds: indy }])
      expect(
        await world.stage.call('createOfferOob', {
          caller: { tenantId },
          body: { protocolVersion: 'v2', credentialFormats: formats },
        }),
      ).toMatchObject({
        status: 422,
        body: { details: [{ path: `credentialFormats.${Object.keys(formats)[0]}.credentialDefinitionId` }] },
      })
  })

  test('anoncreds is offered by the id that the request names, which may be an unqualified one of an Indy ledger', async () => {
    const { body } = await offer({ anoncreds: { ...indy } })
    expect((await done(body.id)).metadata['_internal/indyCredential']).toEqual(INDY)
  })

  test('the example of GetCredentialById is a record of Indy', async () => {
    const { body } = await offer({ indy }, { protocolVersion: 'v1' })
    await done(body.id)
    const operation = { caller: world.caller, path: { credentialRecordId: body.id } }
    const { status, body: shown } = await world.stage.call('getCredentialById', operation)
    expect(status).toBe(200)
    await expectExample({ operationId: 'GetCredentialById', asked: undefined, body: shown })
  })

  test('JSON-LD is offered in an invitation', async () => {
    const { body } = await offerOutOfBand({ jsonld: jsonld() })
    await world.wallet.connect(body.invitationUrl)
    expect(await done(body.credentialRecordId)).toMatchObject({ credentialAttributes: [], metadata: {} })
  })

  test('an offer in an invitation has the parent thread that the caller names', async () => {
    const { body } = await offerOutOfBand({ anoncreds: anoncreds() }, { parentThreadId: 'parent-thread' })
    const { body: exchange } = await world.stage.call('getCredentialById', {
      caller: world.caller,
      path: { credentialRecordId: body.credentialRecordId },
    })
    expect(exchange).toMatchObject({ parentThreadId: 'parent-thread', _tags: { parentThreadId: 'parent-thread' } })
  })

  test('of several formats the wallet gets those that it asks for', async () => {
    const { body } = await offer({ anoncreds: anoncreds(), jsonld: jsonld() })
    await done(body.id)
    expect((await heldBy(body)).credentials).toHaveLength(2)
  })

  describe('a definition of which only the record has an id', () => {
    const record = (state: string, more: object = {}) =>
      inTenant(world.caller.tenantId, async () => {
        const { addDefinition } = await import('../../lib/agent/formats/anoncreds/definition-records.ts')
        const { currentUnit } = await import('../../lib/store/transaction.ts')
        const id = randomUUID()
        const kept = { id, createdAt: new Date().toISOString(), metadata: {}, issuerId: 'did:memory:issuer', tag: id }
        const all = { ...kept, schemaId: world.schemaId, supportRevocation: false, state, ...more }
        addDefinition(currentUnit(), all as Parameters<typeof addDefinition>[1], undefined)
        return id
      })

    test.each(['wait', 'action', 'failed'])('is a 409 while it is %s', async (state) => {
      const credentialDefinitionId = await record(state)
      const { status, body, headers } = await offer({ anoncreds: { ...anoncreds(), credentialDefinitionId } })
      expect({ status, message: body.message }).toEqual({ status: 409, message: expect.stringContaining(state) })
      expect(headers['retry-after'] === undefined).toBe(state === 'failed')
    })

    test('is offered by its record when it is finished', async () => {
      const credentialDefinitionId = await record('finished', ids())
      const { body } = await offer({ anoncreds: { ...anoncreds(), credentialDefinitionId } })
      expect((await done(body.id)).metadata['_internal/indyCredential']).toEqual(ids())
    })
  })

  describe('is rejected before anything is sent', () => {
    const path = 'credentialFormats.anoncreds'
    const attributes = `${path}.attributes`
    const [degree, age] = VALUES

    test.each<[string, () => object, string[]]>([
      ['an attribute less', () => anoncreds([age as object]), [attributes]],
      ['an attribute more', () => anoncreds([...VALUES, { name: 'honours', value: 'no' }]), [`${attributes}.2.name`]],
      [
        'an attribute in another case',
        () => anoncreds([degree as object, { name: 'Age', value: '24' }]),
        [`${attributes}.1.name`, attributes],
      ],
      ['an attribute twice', () => anoncreds([...VALUES, age as object]), [attributes]],
      ['no attribute', () => anoncreds([]), [attributes]],
      [
        'an attribute that is no attribute of anything',
        () => anoncreds([...VALUES, JSON.parse('{"name":"__proto__","value":"x"}')]),
        [`${attributes}.2.name`],
      ],
      [
        'a value that is not text',
        () => anoncreds([degree as object, { name: 'age', value: 24 }]),
        [`${attributes}.1.value`],
      ],
      [
        'too many attributes',
        () => anoncreds(Array.from({ length: 126 }, (_, at) => ({ name: `a${at}`, value: '' }))),
        [attributes],
      ],
      [
        'a definition that does not exist',
        () => ({ ...anoncreds(), credentialDefinitionId: 'did:memory:issuer/definition/none' }),
        [`${path}.credentialDefinitionId`],
      ],
      [
        "another tenant's definition",
        () => ({ ...anoncreds(), credentialDefinitionId: foreign }),
        [`${path}.credentialDefinitionId`],
      ],
      ['an unknown field', () => ({ ...anoncreds(), revocationRegistryIndex: 1 }), [`${path}.revocationRegistryIndex`]],
    ])('%s', async (_, offered, fields) => {
      const before = (await world.wallet.credentialExchanges()).length
      for (const answer of [await offer({ anoncreds: offered() }), await offerOutOfBand({ anoncreds: offered() })]) {
        expect(answer.status).toBe(422)
        expect(answer.body.details.map((detail: Json) => detail.path)).toEqual(fields)
      }
      expect(await world.wallet.credentialExchanges()).toHaveLength(before)
    })

    test.each<[string, () => object, object, string]>([
      ['no format', () => ({}), {}, 'credentialFormats'],
      ['version 1 with anoncreds', () => ({ anoncreds: anoncreds() }), { protocolVersion: 'v1' }, 'credentialFormats'],
      [
        'version 1 with more than indy',
        () => ({ indy, jsonld: jsonld() }),
        { protocolVersion: 'v1' },
        'credentialFormats',
      ],
      [
        'other attributes in indy than in anoncreds',
        () => ({ indy, anoncreds: anoncreds(VALUES.toReversed()) }),
        {},
        'credentialFormats',
      ],
      [
        'another definition in indy than in anoncreds',
        () => ({ indy, anoncreds: anoncreds() }),
        {},
        'credentialFormats',
      ],
      ['a qualified id in indy', () => ({ indy: anoncreds() }), {}, 'credentialFormats.indy.credentialDefinitionId'],
    ])('%s', async (_, formats, more, field) => {
      const { status, body } = await offer(formats(), more)
      expect({ status, fields: body.details?.map((detail: Json) => detail.path) }).toEqual({
        status: 422,
        fields: [field],
      })
    })
  })
})
