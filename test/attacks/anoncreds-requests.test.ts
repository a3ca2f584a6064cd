/** Wallets that ask for another AnonCreds credential than the one that they were offered: nothing but the offer is ever signed. */
import { randomUUID } from 'node:crypto'
import { JsonTransformer } from '@credo-ts/core'
import {
  type DidCommCredentialExchangeRecord,
  DidCommCredentialsModuleConfig,
  DidCommMessageRepository,
  DidCommMessageRole,
  DidCommRequestCredentialV2Message,
} from '@credo-ts/didcomm'
import { anoncredsNodeJS } from '@hyperledger/anoncreds-nodejs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import {
  INDY_IDS,
  INDY_ISSUER,
  type OperatedLedger,
  startOperatedLedger,
} from '../support/anoncreds/operated-ledger.ts'
import { OTHER_DEGREE_KEYS } from '../support/anoncreds/prepared-definition.ts'
import { type AnonCredsWorld, definitionOf, inTenant, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const MODES = ['always', 'contentApproved', 'never'] as const
const ATTRIBUTES = [
  { name: 'degree', value: 'Bachelor' },
  { name: 'age', value: '24' },
]

let world: AnonCredsWorld
let ledger: OperatedLedger
let raw: RawMessages
let other: string
let indy: string
let foreign: string

describeWithLibrary('requests of AnonCreds', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld({ acceptOffers: false })
    raw = new RawMessages(world.wallet)
    const { tenantId } = world.caller
    other = (await definitionOf(tenantId, { tag: 'other', keys: OTHER_DEGREE_KEYS })).credentialDefinitionId
    ledger = await startOperatedLedger()
    await definitionOf(tenantId, { registry: ledger.registry, issuerId: INDY_ISSUER })
    indy = INDY_IDS.credentialDefinitionId
    const { tenantId: somebody } = await createTenant(world.stage)
    foreign = (await definitionOf(somebody, { tag: 'foreign' })).credentialDefinitionId
  })
  afterAll(async () => {
    await world.stop()
    await ledger.stop()
  })

  type Version = 'v1' | 'v2'

  interface Offered {
    id: string
    version: Version
    /** The wallet's exchange. */
    held: DidCommCredentialExchangeRecord
  }

  const offer = async (
    mode: string = 'always',
    format: 'indy' | 'anoncreds' = 'anoncreds',
    version: Version = 'v2',
  ): Promise<Offered> => {
    const { caller, connectionId, credentialDefinitionId, wallet } = world
    const offered = {
      credentialDefinitionId: format === 'indy' ? indy : credentialDefinitionId,
      attributes: ATTRIBUTES,
    }
    const { id, threadId } = await inTenant(caller.tenantId, ({ didcomm }) =>
      didcomm.credentials.offerCredential({
        connectionId,
        protocolVersion: version,
        credentialFormats: { [format]: offered },
        autoAcceptCredential: mode,
      } as Parameters<typeof didcomm.credentials.offerCredential>[0]),
    )
    const held = await waitFor('the offer', async () =>
      (await wallet.credentialExchanges()).find((exchange) => exchange.threadId === threadId),
    )
    return { id, version, held }
  }

  /** The wallet's request to an offer, which it does not send. */
  const requestTo = async ({ held, version }: Offered): Promise<Json> => {
    const { context, didcomm } = world.wallet.agent
    const { credentialProtocols } = context.resolve(DidCommCredentialsModuleConfig)
    const protocol = credentialProtocols.find((one) => one.version === version)
    const credentialExchangeRecord = await didcomm.credentials.getById(held.id)
    const accepted = await protocol?.acceptOffer(context, { credentialExchangeRecord })
    return { ...accepted?.message.toJSON(), '~transport': { return_route: 'all' } }
  }

  const contentOf = (attachment: Json): Json => JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString())

  const withContent = (message: Json, alter: (content: Json) => unknown): Json => {
    const name = 'requests~attach'
    const [attachment] = message[name]
    const altered = alter(contentOf(attachment))
    const base64 = Buffer.from(typeof altered === 'string' ? altered : JSON.stringify(altered)).toString('base64')
    return { ...message, [name]: [{ ...attachment, data: { base64 } }] }
  }

  const send = (message: Json) => raw.sendOn(world.walletConnectionId, message)

  const record = async ({ id }: Offered): Promise<Json> => {
    const { stage, caller } = world
    return (await stage.call('getCredentialById', { caller, path: { credentialRecordId: id } })).body
  }

  /** The exchange is abandoned, and the wallet gets a problem report. */
  const expectAbandoned = async (offered: Offered, answer: { status: number; message?: Json }) => {
    expect(answer).toMatchObject({
      status: 200,
      message: {
        '@type': expect.stringMatching(/issue-credential\/[12]\.0\/problem-report$/),
        '~thread': { thid: offered.held.threadId },
        description: { code: 'issuance-abandoned' },
      },
    })
    expect(await record(offered)).toMatchObject({
      state: 'abandoned',
      errorMessage: expect.stringContaining('offer'),
    })
  }

  const issued = ({ message }: { message?: Json }): Json => {
    expect(message?.['@type']).toMatch(/issue-credential\/[12]\.0\/issue-credential$/)
    return contentOf(message['credentials~attach'][0])
  }

  describe.each(MODES)('with autoAcceptCredential %s', (mode) => {
    test.each([
      ["another definition of the issuer's", () => other],
      ["another tenant's definition", () => foreign],
      ['a definition that does not exist', () => 'did:memory:issuer/definition/none'],
    ])('a request for %s is abandoned', async (_, definition) => {
      const offered = await offer(mode)
      const request = withContent(await requestTo(offered), (content) => ({ ...content, cred_def_id: definition() }))
      await expectAbandoned(offered, await send(request))
    })
  })

  describe.each<[Version, 'indy' | 'anoncreds']>([
    ['v2', 'anoncreds'],
    ['v2', 'indy'],
    ['v1', 'indy'],
  ])('of %s with %s', (version, format) => {
    test('a request is answered with what was offered', async () => {
      const offered = await offer('contentApproved', format, version)
      const credential = issued(await send(await requestTo(offered)))
      expect(credential).toMatchObject({
        cred_def_id: format === 'indy' ? indy : world.credentialDefinitionId,
        values: { degree: { raw: 'Bachelor' }, age: { raw: '24', encoded: '24' } },
      })
    })

    test('unknown members of a request are dropped before the library reads it', async () => {
      const offered = await offer('always', format, version)
      const read = vi.spyOn(anoncredsNodeJS, 'credentialRequestFromJson')
      const surplus = { surplus: { number: '9'.repeat(100_000) } }
      issued(await send(withContent(await requestTo(offered), (content) => ({ ...content, ...surplus }))))
      expect(read).toHaveBeenCalled()
      expect(JSON.stringify(read.mock.calls)).not.toContain('surplus')
      read.mockRestore()
    })

    test.each<[string, (content: Json) => unknown]>([
      ['of another definition', (content) => ({ ...content, cred_def_id: other })],
      ['without a definition', ({ cred_def_id: _, ...content }) => content],
      ['with two definitions', (content) => ({ ...content, cred_def_id: [content.cred_def_id, other] })],
      [
        'with a definition in its prototype',
        ({ cred_def_id, ...content }) =>
          `{"__proto__":{"cred_def_id":"${cred_def_id}"},${JSON.stringify(content).slice(1)}`,
      ],
      [
        'with a number of 140,000 digits',
        ({ blinded_ms_correctness_proof: proof, ...content }) => ({
          ...content,
          blinded_ms_correctness_proof: { ...proof, c: '9'.repeat(140_000) },
        }),
      ],
      [
        'that hides a value which the issuer signs',
        ({ blinded_ms, ...content }) => ({
          ...content,
          blinded_ms: { ...blinded_ms, hidden_attributes: ['age', 'master_secret'] },
        }),
      ],
      ['that is not an object', () => [1]],
      ['that is not JSON', () => '{'],
      ['that is nothing', () => 'null'],
    ])('a request %s is abandoned', async (_, alter) => {
      const offered = await offer('always', format, version)
      await expectAbandoned(offered, await send(withContent(await requestTo(offered), alter)))
    })

    test.each<[string, (content: Json) => unknown]>([
      ['with another blinded secret', (content) => ({ ...content, blinded_ms: { ...content.blinded_ms, u: '12345' } })],
      ['without a proof', ({ blinded_ms_correctness_proof: _, ...content }) => content],
      ['with an invalid nonce', (content) => ({ ...content, nonce: 'x' })],
    ])('a request %s, which only the library can tell, is abandoned', async (_, alter) => {
      const offered = await offer('always', format, version)
      await expectAbandoned(offered, await send(withContent(await requestTo(offered), alter)))
    })

    test('a request that was made for another offer is abandoned', async () => {
      const [first, second] = [await offer('always', format, version), await offer('always', format, version)]
      const replayed = await requestTo(first)
      const onSecond = {
        ...replayed,
        '@id': randomUUID(),
        '~thread': { ...replayed['~thread'], thid: second.held.threadId },
      }
      await expectAbandoned(second, await send(onSecond))
      issued(await send(replayed))
    })

    test('a second request after the credential gets no other one', async () => {
      const offered = await offer('always', format, version)
      const request = await requestTo(offered)
      issued(await send(request))
      expect(await send({ ...request, '@id': randomUUID() })).toMatchObject({ status: 400 })
      expect((await record(offered)).state).toBe('credential-issued')
    })

    test('a request that waits for the tenant is issued by hand as it was offered', async () => {
      const offered = await offer('never', format, version)
      expect(await send(await requestTo(offered))).toEqual({ status: 200, body: '' })
      expect((await record(offered)).state).toBe('request-received')
      await inTenant(world.caller.tenantId, ({ didcomm }) =>
        didcomm.credentials.acceptRequest({ credentialExchangeRecordId: offered.id }),
      )
      expect((await record(offered)).state).toBe('credential-issued')
    })

    test('a request that only the library can reject is abandoned by the call that accepts it, with a problem report', async () => {
      const { stage, caller, wallet } = world
      const offered = await offer('never', format, version)
      const unproven = withContent(await requestTo(offered), (content) => ({
        ...content,
        blinded_ms: { ...content.blinded_ms, u: '12345' },
      }))
      expect(await send(unproven)).toEqual({ status: 200, body: '' })
      const accepted = await stage.call('acceptCredentialRequest', { caller, body: { credentialRecordId: offered.id } })
      expect(accepted).toMatchObject({ status: 200, body: { state: 'abandoned' } })
      const report = await waitFor('the report', async () =>
        wallet.journal.problems.find(({ threadId }) => threadId === offered.held.threadId),
      )
      expect(report.description).toContain('does not prove what was offered')
    })
  })

  test('a request without a connection, which only the library can tell, is abandoned by the call that accepts it', async () => {
    const { stage, caller, credentialDefinitionId } = world
    const holder = await createTenant(stage)
    const { body: offered } = await stage.call('createOfferOob', {
      caller,
      body: {
        ...{ protocolVersion: 'v2', handshake: false, autoAcceptCredential: 'never' },
        credentialFormats: { anoncreds: { credentialDefinitionId, attributes: ATTRIBUTES } },
      },
    })
    const { credentialRecordId, credentialRecordThId: threadId, invitation } = offered
    await stage.call('receiveInvitation', { caller: holder, body: { invitation } })
    const { body: held } = await stage.call('getCredentials', { caller: holder, query: { threadId } })
    await stage.call('acceptCredentialOffer', { caller: holder, body: { credentialRecordId: held[0].id } })
    const inState = (state: string) =>
      waitFor(state, async () => {
        const { body } = await stage.call('getCredentialById', { caller, path: { credentialRecordId } })
        return body.state === state && body
      })
    await inState('request-received')
    await inTenant(caller.tenantId, async ({ context }) => {
      const messages = context.resolve(DidCommMessageRepository)
      const of = { associatedRecordId: credentialRecordId, messageClass: DidCommRequestCredentialV2Message }
      const request = await messages.getAgentMessage(context, of)
      const altered = withContent(request.toJSON(), ({ blinded_ms_correctness_proof: _, ...content }) => content)
      const agentMessage = JsonTransformer.fromJSON(altered, DidCommRequestCredentialV2Message)
      const { Receiver: role } = DidCommMessageRole
      await messages.saveOrUpdateAgentMessage(context, { agentMessage, associatedRecordId: credentialRecordId, role })
    })
    const accepted = await stage.call('acceptCredentialRequest', { caller, body: { credentialRecordId } })
    expect(accepted).toMatchObject({ status: 200, body: { state: 'abandoned' } })
    expect(await inState('abandoned')).toMatchObject({ errorMessage: expect.stringContaining('offer') })
  })

  test('a request on the thread of the other version is rejected', async () => {
    const [one, two] = [await offer('always', 'indy', 'v1'), await offer('always', 'indy', 'v2')]
    const request = await requestTo(one)
    const onOther = { ...request, '@id': randomUUID(), '~thread': { thid: two.held.threadId } }
    expect((await send(onOther)).status).toBe(400)
    expect((await record(two)).state).toBe('offer-sent')
  })

  test('a request that answers no offer is rejected', async () => {
    for (const version of ['v1', 'v2'] as const) {
      const request = await requestTo(await offer('always', 'indy', version))
      const thid = randomUUID()
      expect(await send({ ...request, '@id': randomUUID(), '~thread': { thid } })).toMatchObject({
        status: 200,
        message: { '~thread': { thid }, description: { code: 'issuance-abandoned' } },
      })
    }
  })

  describe('a request that is labelled as anoncreds', () => {
    const labelled = (request: Json) => ({
      ...request,
      formats: [{ ...request.formats[0], format: 'anoncreds/credential-request@v1.0' }],
    })

    test('is one of indy where only that was offered', async () => {
      const offered = await offer('always', 'indy')
      const answer = await send(labelled(await requestTo(offered)))
      expect(answer.message?.formats).toEqual([expect.objectContaining({ format: 'hlindy/cred@v2.0' })])
      expect(issued(answer).cred_def_id).toBe(indy)
    })

    test('is checked as one of indy', async () => {
      const offered = await offer('always', 'indy')
      const request = withContent(await requestTo(offered), (content) => ({ ...content, cred_def_id: other }))
      await expectAbandoned(offered, await send(labelled(request)))
    })
  })
})
