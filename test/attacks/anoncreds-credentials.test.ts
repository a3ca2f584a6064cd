/** Issuers that give a holder another AnonCreds credential than they offered, or offers that no credential could match. */
import { randomUUID } from 'node:crypto'
import { type DidCommCredentialExchangeRecord, DidCommCredentialsModuleConfig } from '@credo-ts/didcomm'
import { anoncredsNodeJS } from '@hyperledger/anoncreds-nodejs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeWithLibrary, testWithLibrary } from '../support/anoncreds/library.ts'
import { memoryRegistry } from '../support/anoncreds/memory-registry.ts'
import { OTHER_DEGREE_KEYS, prepareDefinition } from '../support/anoncreds/prepared-definition.ts'
import { type AnonCredsWorld, inTenant, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import { connect, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const ISSUER = 'did:memory:attacker'
const ATTRIBUTES = [
  { name: 'degree', value: 'Bachelor' },
  { name: 'age', value: '24' },
]

let world: AnonCredsWorld
let raw: RawMessages
let definition: { schemaId: string; credentialDefinitionId: string }
let other: { schemaId: string; credentialDefinitionId: string }

beforeAll(async () => {
  world = await startAnonCredsWorld({ acceptOffers: false })
  raw = new RawMessages(world.wallet)
  const { context } = world.wallet.agent
  definition = await prepareDefinition(context, { registry: memoryRegistry, issuerId: ISSUER })
  const second = { registry: memoryRegistry, issuerId: ISSUER, tag: 'other', keys: OTHER_DEGREE_KEYS }
  other = await prepareDefinition(context, { ...second, attrNames: ['age', 'degree'] })
})
afterAll(() => world.stop())

/** The wallet's exchange, and the tenant's. */
interface Exchange {
  sent: DidCommCredentialExchangeRecord
  id: string
}

const protocolOf = (version: string) => {
  const { credentialProtocols } = world.wallet.agent.context.resolve(DidCommCredentialsModuleConfig)
  return credentialProtocols.find((one) => one.version === version)
}

const send = (message: Json) => raw.sendOn(world.walletConnectionId, message)

const recordOf = async (credentialRecordId: string): Promise<Json> => {
  const { stage, caller } = world
  return (await stage.call('getCredentialById', { caller, path: { credentialRecordId } })).body
}

const exchangeOn = (threadId: string): Promise<string> =>
  waitFor('the exchange of the tenant', () =>
    inTenant(world.caller.tenantId, async ({ didcomm }) => {
      const [exchange] = await didcomm.credentials.findAllByQuery({ threadId })
      return exchange?.id
    }),
  )

/** The wallet offers a credential, in `more` formats too, and the tenant asks for it. */
const requested = async (more: object = {}): Promise<Exchange> => {
  const { didcomm } = world.wallet.agent
  const sent = await didcomm.credentials.offerCredential({
    connectionId: world.walletConnectionId,
    protocolVersion: 'v2',
    credentialFormats: {
      ...more,
      anoncreds: { credentialDefinitionId: definition.credentialDefinitionId, attributes: ATTRIBUTES },
    },
  })
  const id = await exchangeOn(sent.threadId)
  await inTenant(world.caller.tenantId, (agent) =>
    agent.didcomm.credentials.acceptOffer({ credentialExchangeRecordId: id }),
  )
  await waitFor('the request', async () => (await didcomm.credentials.getById(sent.id)).state === 'request-received')
  return { sent, id }
}

/** The credential that the wallet issues, which it does not send. `alter` changes what it signs before. */
const issued = async ({ sent }: Exchange, alter: (record: Json) => void = () => {}): Promise<Json> => {
  const { context, didcomm } = world.wallet.agent
  const credentialExchangeRecord = await didcomm.credentials.getById(sent.id)
  alter(credentialExchangeRecord)
  const accepted = await protocolOf('v2')?.acceptRequest(context, { credentialExchangeRecord })
  return { ...accepted?.message.toJSON(), '~transport': { return_route: 'all' } }
}

const withContent = (message: Json, alter: (content: Json) => unknown): Json => {
  const name = 'credentials~attach'
  const [attachment] = message[name]
  const altered = alter(JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString()))
  const base64 = Buffer.from(typeof altered === 'string' ? altered : JSON.stringify(altered)).toString('base64')
  return { ...message, [name]: [{ ...attachment, data: { base64 } }] }
}

const heldCredentials = () =>
  inTenant(world.caller.tenantId, async ({ w3cCredentials }) => (await w3cCredentials.getAll()).length)

const expectAbandoned = async ({ id, sent }: Exchange, message: Json) => {
  const before = await heldCredentials()
  expect(await send(message)).toMatchObject({
    status: 200,
    message: { '~thread': { thid: sent.threadId }, description: { code: 'issuance-abandoned' } },
  })
  expect(await recordOf(id)).toMatchObject({ state: 'abandoned', credentials: [] })
  expect(await heldCredentials()).toBe(before)
}

const withValue = (name: string, value: object) => (content: Json) => ({
  ...content,
  values: { ...content.values, [name]: { ...content.values[name], ...value } },
})

const withSignature = (alter: (signature: Json) => unknown) => (content: Json) => {
  const copy = structuredClone(content)
  alter(copy.signature)
  return copy
}

describeWithLibrary('a credential', () => {
  test('with unknown members is stored without them', async () => {
    const exchange = await requested()
    const read = vi.spyOn(anoncredsNodeJS, 'credentialFromJson')
    const surplus = { surplus: { number: '9'.repeat(100_000) } }
    await send(withContent(await issued(exchange), (content) => ({ ...content, ...surplus })))
    expect((await recordOf(exchange.id)).state).toBe('done')
    expect(read).toHaveBeenCalled()
    expect(JSON.stringify(read.mock.calls)).not.toContain('surplus')
    read.mockRestore()
  })

  test('as it was offered is stored', async () => {
    const exchange = await requested()
    const before = await heldCredentials()
    await send(await issued(exchange))
    expect((await recordOf(exchange.id)).state).toBe('done')
    expect(await heldCredentials()).toBe(before + 1)
  })
})

describeWithLibrary('where a registry does not answer', () => {
  const unavailable = (method: 'getSchema' | 'getCredentialDefinition') =>
    vi
      .spyOn(memoryRegistry, method)
      .mockResolvedValue({ resolutionMetadata: { error: 'unavailable', message: 'x' } } as never)

  test.each(['getSchema', 'getCredentialDefinition'] as const)(
    'a credential message is stored, and its credential verified by a call: %s',
    async (method) => {
      const exchange = await requested()
      const before = await heldCredentials()
      const failure = unavailable(method)
      expect(await send(await issued(exchange))).toMatchObject({ status: 200, body: '' })
      expect(await recordOf(exchange.id)).toMatchObject({
        ...{ state: 'request-sent', credentials: [] },
        metadata: { '_agent/unverified': { reason: expect.stringContaining('registry') } },
      })
      expect(await heldCredentials()).toBe(before)
      const { stage, caller } = world
      const accept = () => stage.call('acceptCredential', { caller, body: { credentialRecordId: exchange.id } })
      expect((await accept()).status).toBe(503)
      failure.mockRestore()
      expect(await accept()).toMatchObject({ status: 200, body: { state: 'done', credentials: [{}] } })
      expect(await heldCredentials()).toBe(before + 1)
    },
  )

  test('a credential in two formats is stored in both, or not yet', async () => {
    const { exchange, message } = await inBothFormats()
    const before = await heldCredentials()
    const failure = unavailable('getSchema')
    expect(await send(message)).toMatchObject({ status: 200, body: '' })
    expect(await heldCredentials()).toBe(before)
    failure.mockRestore()
    const body = { credentialRecordId: exchange.id }
    const accepted = await world.stage.call('acceptCredential', { caller: world.caller, body })
    expect(accepted.body).toMatchObject({ state: 'done', credentials: [{}, {}] })
    expect(await heldCredentials()).toBe(before + 2)
  })

  test('an offer can be accepted later', async () => {
    const { didcomm } = world.wallet.agent
    const sent = await didcomm.credentials.offerCredential({
      connectionId: world.walletConnectionId,
      protocolVersion: 'v2',
      credentialFormats: {
        anoncreds: { credentialDefinitionId: definition.credentialDefinitionId, attributes: ATTRIBUTES },
      },
    })
    const body = { credentialRecordId: await exchangeOn(sent.threadId) }
    const failure = unavailable('getCredentialDefinition')
    const { stage, caller } = world
    const refused = await stage.call('acceptCredentialOffer', { caller, body })
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toMatch(/^[1-9]/)
    failure.mockRestore()
    expect((await stage.call('acceptCredentialOffer', { caller, body })).status).toBe(200)
  })
})

/** A credential in two formats, of which the JSON-LD comes first. */
const inBothFormats = async (alter?: (record: Json) => void) => {
  const { jsonld } = offerBody(world.walletConnectionId, world.wallet.did).credentialFormats
  const credential = { ...jsonld.credential, issuer: world.wallet.did }
  const exchange = await requested({ jsonld: { ...jsonld, credential } })
  const message = await issued(exchange, alter)
  const formats = message.formats.toSorted((a: Json, b: Json) => (a.format < b.format ? 1 : -1))
  expect(formats.map(({ format }: Json) => format)).toEqual(['aries/ld-proof-vc@v1.0', 'anoncreds/credential@v1.0'])
  return { exchange, message: { ...message, formats } }
}

describeWithLibrary('a credential is abandoned, and not stored,', () => {
  test.each<[string, (content: Json) => unknown]>([
    ['with another raw value', withValue('degree', { raw: 'Doctor' })],
    ['with another encoded value', withValue('degree', { encoded: '1' })],
    ['with another value, raw and encoded', withValue('age', { raw: '25', encoded: '25' })],
    ['with an attribute more', withValue('honours', { raw: 'no', encoded: '1' })],
    ['with an attribute less', ({ values: { age: _, ...values }, ...content }) => ({ ...content, values })],
    [
      'with an attribute in its prototype',
      (content) => {
        const { age, ...values } = content.values
        const text = JSON.stringify({ ...content, values: { ...values, '@': age } })
        return text.replace('"@":', '"__proto__":')
      },
    ],
    ['of another definition', (content) => ({ ...content, cred_def_id: other.credentialDefinitionId })],
    ['of another schema', (content) => ({ ...content, schema_id: other.schemaId })],
    ['with an invalid signature', (content) => ({ ...content, signature: {} })],
    [
      'with a prime that the library looks at for hours',
      withSignature(({ p_credential }) => (p_credential.e = String(2n ** 9941n - 1n))),
    ],
    ['with a number of 140,000 digits', withSignature(({ p_credential }) => (p_credential.v = '9'.repeat(140_000)))],
    ['without values', ({ values: _, ...content }) => content],
    ['of a revocation registry that no registry of this agent has', (content) => ({ ...content, rev_reg_id: 'x' })],
    [
      'of a revocation registry that is not there',
      (content) => ({ ...content, rev_reg_id: `${content.cred_def_id}/registry/x` }),
    ],
    ['that is not an object', () => [1]],
    ['that is nothing', () => 'null'],
  ])('%s', async (_, alter) => {
    const exchange = await requested()
    await expectAbandoned(exchange, withContent(await issued(exchange), alter))
  })

  test('after another one in a format that comes as it was offered', async () => {
    const { exchange, message } = await inBothFormats((record) => {
      record.credentialAttributes = [{ name: 'degree', value: 'Doctor' }, ATTRIBUTES[1]]
    })
    await expectAbandoned(exchange, message)
  })

  test('signed with other values than offered', async () => {
    const exchange = await requested()
    const message = await issued(exchange, (record) => {
      record.credentialAttributes = [{ name: 'degree', value: 'Doctor' }, ATTRIBUTES[1]]
    })
    await expectAbandoned(exchange, message)
  })

  test('that was signed for another exchange', async () => {
    const [first, second] = [await requested(), await requested()]
    const message = { ...(await issued(first)), '@id': randomUUID(), '~thread': { thid: second.sent.threadId } }
    await expectAbandoned(second, message)
  })
})

describe('an offer is rejected, and nothing is stored,', () => {
  const offerOf = (attributes: Json[], version: 'v1' | 'v2'): Json => {
    const base64 = Buffer.from(
      JSON.stringify({ cred_def_id: definition.credentialDefinitionId, schema_id: definition.schemaId }),
    ).toString('base64')
    const type = `https://didcomm.org/issue-credential/${version === 'v1' ? '1.0' : '2.0'}`
    return {
      '@type': `${type}/offer-credential`,
      '@id': randomUUID(),
      '~transport': { return_route: 'all' },
      credential_preview: { '@type': `${type}/credential-preview`, attributes },
      ...(version === 'v2' && { formats: [{ attach_id: 'a', format: 'anoncreds/credential-offer@v1.0' }] }),
      'offers~attach': [
        { '@id': version === 'v1' ? 'libindy-cred-offer-0' : 'a', 'mime-type': 'application/json', data: { base64 } },
      ],
    }
  }
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `a${at}`, value: '' }))

  test.each<[string, 'v1' | 'v2', () => Json[]]>(
    (['v1', 'v2'] as const).flatMap((version): [string, 'v1' | 'v2', () => Json[]][] => [
      ['126 attributes', version, () => many(126)],
      ['an attribute twice', version, () => [...ATTRIBUTES, ...ATTRIBUTES]],
      ['the attribute __proto__', version, () => [{ name: '__proto__', value: 'x' }]],
    ]),
  )('with %s in version %s', async (_, version, attributes) => {
    const message = offerOf(attributes(), version)
    const { status, message: report } = await send(message)
    expect({ status, code: (report as Json)?.description?.code }).toEqual({ status: 200, code: 'issuance-abandoned' })
    const found = await inTenant(world.caller.tenantId, ({ didcomm }) =>
      didcomm.credentials.findAllByQuery({ threadId: message['@id'] }),
    )
    expect(found).toEqual([])
  })

  test.each([
    [4_000, 400],
    [10_000, 413],
  ])('and one with %i attributes is no message that is handled at all', async (count, status) => {
    expect((await send(offerOf(many(count), 'v2'))).status).toBe(status)
  })

  test('and one with 125 attributes is accepted', async () => {
    const message = offerOf(many(125), 'v2')
    expect((await send(message)).status).toBe(200)
    expect((await recordOf(await exchangeOn(message['@id']))).state).toBe('offer-received')
  })
})

describeWithLibrary('an offer', () => {
  /** Offers the definition, with `more` in the offer, and has it accepted. */
  const acceptOffer = async (more: object) => {
    const { context, didcomm } = world.wallet.agent
    const connectionRecord = await didcomm.connections.getById(world.walletConnectionId)
    const anoncreds = { credentialDefinitionId: definition.credentialDefinitionId, attributes: ATTRIBUTES }
    const options = { credentialFormats: { anoncreds }, connectionRecord }
    const created = await protocolOf('v2')?.createOffer(context, options as never)
    const json: Json = created?.message.toJSON()
    const [attachment] = json['offers~attach']
    const content = { ...JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString()), ...more }
    const base64 = Buffer.from(JSON.stringify(content)).toString('base64')
    const message = { ...json, 'offers~attach': [{ ...attachment, data: { base64 } }] }
    expect(await send({ ...message, '~transport': { return_route: 'all' } })).toEqual({ status: 200, body: '' })
    const id = await exchangeOn(json['~thread'].thid)
    const { stage, caller } = world
    return { id, accepted: await stage.call('acceptCredentialOffer', { caller, body: { credentialRecordId: id } }) }
  }

  test.each<[string, () => object]>([
    ['another schema than its definition', () => ({ schema_id: other.schemaId })],
    ['a definition that does not exist', () => ({ cred_def_id: 'did:memory:attacker/definition/none' })],
    ['a registry that does not exist', () => ({ cred_def_id: 'did:nowhere:attacker/definition/none' })],
    ['a registry that does not exist, with a long id', () => ({ cred_def_id: `did:nowhere:${'x'.repeat(4_000)}` })],
    ['no proof that its key is correct', () => ({ key_correctness_proof: {} })],
    ['no nonce', () => ({ nonce: undefined })],
    [
      'a number of 140,000 digits',
      () => ({ key_correctness_proof: { c: '9'.repeat(140_000), xz_cap: '1', xr_cap: [['age', '1']] } }),
    ],
  ])('that names %s is not accepted', async (_, more) => {
    const { id, accepted } = await acceptOffer(more())
    expect(accepted).toMatchObject({ status: 422, body: { details: [{ path: 'credentialRecordId' }] } })
    expect(accepted.body.details[0].message.length).toBeLessThanOrEqual(300)
    expect((await recordOf(id)).state).toBe('offer-received')
  })

  test('with unknown members is accepted, and the library never reads them', async () => {
    const read = vi.spyOn(anoncredsNodeJS, 'credentialOfferFromJson')
    const { accepted } = await acceptOffer({ surplus: { number: '9'.repeat(100_000) } })
    expect(accepted).toMatchObject({ status: 200, body: { state: 'request-sent' } })
    expect(read).toHaveBeenCalled()
    expect(JSON.stringify(read.mock.calls)).not.toContain('surplus')
    read.mockRestore()
  })
})

testWithLibrary(
  'an agent that accepts offers without a call receives one that it cannot accept, which waits',
  async () => {
    const { stage, wallet } = world
    const config = { label: 'Collector', autoAcceptOffers: true }
    const { body: tenant } = await stage.call('createTenant', { body: { config } })
    const caller = { tenantId: tenant.id }
    const { walletConnectionId } = await connect(stage, wallet, caller)
    const threadId = randomUUID()
    const offer = { cred_def_id: 'did:web:nowhere.invalid:definition', schema_id: 'did:web:nowhere.invalid:s' }
    const answer = await raw.sendOn(walletConnectionId, {
      '@type': 'https://didcomm.org/issue-credential/2.0/offer-credential',
      '@id': threadId,
      '~transport': { return_route: 'all' },
      credential_preview: {
        '@type': 'https://didcomm.org/issue-credential/2.0/credential-preview',
        attributes: [{ name: 'degree', value: 'Bachelor' }],
      },
      formats: [{ attach_id: 'a', format: 'anoncreds/credential-offer@v1.0' }],
      'offers~attach': [
        {
          '@id': 'a',
          'mime-type': 'application/json',
          data: { base64: Buffer.from(JSON.stringify(offer)).toString('base64') },
        },
      ],
    })
    expect(answer).toEqual({ status: 200, body: '' })
    const { body } = await stage.call('getCredentials', { caller, query: { threadId } })
    expect(body).toMatchObject([{ state: 'offer-received' }])
    const accepted = await stage.call('acceptCredentialOffer', { caller, body: { credentialRecordId: body[0].id } })
    expect(accepted).toMatchObject({ status: 422, body: { details: [{ path: 'credentialRecordId' }] } })
  },
)
