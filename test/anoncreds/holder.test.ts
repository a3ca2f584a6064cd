/** A tenant as holder and prover of AnonCreds: it takes what another tenant offers, keeps it, and proves it. */
import { randomUUID } from 'node:crypto'
import {
  AnonCredsLinkSecretRepository,
  type AnonCredsProofRequestRestriction,
  type AnonCredsRegistry,
} from '@credo-ts/anoncreds'
import { W3cCredentialRepository } from '@credo-ts/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { registries } from '../../lib/agent/formats/anoncreds/registries.ts'
import { BUNDLED_CONTEXTS } from '../../lib/agent/formats/json-ld/bundled-contexts.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import {
  INDY_IDS,
  INDY_ISSUER,
  type OperatedLedger,
  startOperatedLedger,
} from '../support/anoncreds/operated-ledger.ts'
import { acceptOffer, offerToTenant, storedBy } from '../support/anoncreds/tenant-holder.ts'
import { type AnonCredsWorld, definitionOf, inTenant, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import { connect, createTenant, degreeDefinition, offerBody } from '../support/scenes.ts'
import type { Json, Reply } from '../support/stage/in-process-stage.ts'
import { connectTenants } from '../support/tenants.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const INDY = INDY_IDS.credentialDefinitionId

let world: AnonCredsWorld
let ledger: OperatedLedger
let holder: { tenantId: string }
/** The issuer's connection to the holder. */
let connectionId: string
/** The connection of a wallet, which verifies, to the holder. */
let verifying: { walletConnectionId: string }

describeWithLibrary('a tenant as holder', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld()
    ledger = await startOperatedLedger()
    await definitionOf(world.caller.tenantId, { registry: ledger.registry, issuerId: INDY_ISSUER })
    holder = await createTenant(world.stage, 'Holder')
    connectionId = (await connectTenants(world.stage, world.caller, holder)).connectionId
    verifying = await connect(world.stage, world.wallet, holder)
  })
  afterAll(async () => {
    await world.stop()
    await ledger.stop()
  })

  const recordOf = async (caller: { tenantId: string }, credentialRecordId: string): Promise<Json> =>
    (await world.stage.call('getCredentialById', { caller, path: { credentialRecordId } })).body

  const recordOfConnection = async (caller: { tenantId: string }, id: string): Promise<Json> =>
    (await world.stage.call('getConnectionById', { caller, path: { connectionId: id } })).body

  type Format = 'anoncreds' | 'indy'

  const idOf = (format: Format) => (format === 'indy' ? INDY : world.credentialDefinitionId)

  const offered = (format: Format, protocolVersion: string, age: string) => {
    const attributes = [
      { name: 'degree', value: 'Bachelor' },
      { name: 'age', value: age },
    ]
    const credentialFormats = { [format]: { credentialDefinitionId: idOf(format), attributes } }
    return offerToTenant(world.stage, {
      issuer: world.caller,
      holder,
      connectionId,
      protocolVersion,
      credentialFormats,
    })
  }

  /** The holder answers a request with what it has. Resolves to the answer of the operation. */
  const answerProof = async (threadId: string, body: object = {}): Promise<Reply> => {
    const { id } = await waitFor('the request', async () => {
      const { body: found } = await world.stage.call('getProofs', { caller: holder, query: { threadId } })
      return found[0]
    })
    return world.stage.call('acceptProofRequest', { caller: holder, path: { proofRecordId: id }, body })
  }

  const ask = (format: Format, request: object, protocolVersion = 'v2'): Promise<Json> =>
    world.wallet.agent.didcomm.proofs.requestProof({
      connectionId: verifying.walletConnectionId,
      protocolVersion: protocolVersion as 'v2',
      proofFormats: { [format]: request },
    })

  /** The wallet asks the holder, who answers with what it has. Resolves to the wallet's proof exchange. */
  const proved = async (format: Format, request: object, protocolVersion = 'v2', body: object = {}): Promise<Json> => {
    const { didcomm } = world.wallet.agent
    const asked = await ask(format, request, protocolVersion)
    expect(await answerProof(asked.threadId, body)).toMatchObject({ status: 200 })
    return waitFor('the presentation', async () => {
      const proof = await didcomm.proofs.getById(asked.id)
      return proof.isVerified !== undefined && proof
    })
  }

  const proofRequest = (restriction: AnonCredsProofRequestRestriction, age: number) => ({
    name: 'degree',
    version: '1.0',
    requested_attributes: { degree: { name: 'degree', restrictions: [restriction] } },
    requested_predicates: { age: { name: 'age', p_type: '>=' as const, p_value: age, restrictions: [restriction] } },
  })

  describe.each<[Format, string]>([
    ['anoncreds', 'v2'],
    ['indy', 'v2'],
    ['indy', 'v1'],
  ])('as %s of %s', (format, version) => {
    test('an offer is accepted by hand, stored, and proved', async () => {
      const { id, heldId } = await offered(format, version, '24')
      expect((await recordOf(holder, heldId)).state).toBe('offer-received')
      await acceptOffer(world.stage, holder, heldId)
      const exchange = await storedBy(world.stage, holder, heldId)
      expect(exchange).toMatchObject({
        role: 'holder',
        credentials: [{ credentialRecordType: 'w3c', credentialRecordId: expect.any(String) }],
        credentialAttributes: [
          { name: 'degree', value: 'Bachelor' },
          { name: 'age', value: '24' },
        ],
        metadata: { '_internal/indyCredential': { credentialDefinitionId: idOf(format) } },
      })
      expect(exchange.metadata).not.toHaveProperty('_anoncreds/credentialRequest')
      await waitFor('the issuer to know', async () => (await recordOf(world.caller, id)).state === 'done')
      const proof = await proved(format, proofRequest({ cred_def_id: idOf(format) }, 21), version)
      expect(proof.isVerified).toBe(true)

      const [{ credentialRecordId }] = exchange.credentials
      const listed = await world.stage.call('getW3cCredentials', { caller: holder, query: { order: 'desc' } })
      const held = listed.body.find((record: Json) => record.id === credentialRecordId)
      expect(held._tags).toMatchObject({ claimFormat: 'ldp_vc', anonCredsCredentialDefinitionId: expect.any(String) })
      for (const [caller, credentialRecordId] of [
        [holder, heldId],
        [world.caller, id],
      ] as const) {
        const { body: shown } = await world.stage.call('getCredentialFormData', {
          caller,
          path: { credentialRecordId },
        })
        const own = await inTenant(caller.tenantId, ({ didcomm }) =>
          didcomm.credentials.getFormatData(credentialRecordId),
        )
        expect(shown).toEqual(JSON.parse(JSON.stringify(own)))
      }
    })

    test('a credential is verified later where its schema cannot be read when it comes', async () => {
      const { stage } = world
      const { heldId } = await offered(format, version, '24')
      await stage.line.pause()
      await acceptOffer(stage, holder, heldId)
      const registry = registries.find(({ supportedIdentifier }) => supportedIdentifier.test(idOf(format)))
      const unread = { resolutionMetadata: { error: 'unavailable', message: 'x' } }
      const failure = vi.spyOn(registry as AnonCredsRegistry, 'getSchema').mockResolvedValue(unread as never)
      await stage.line.settle()
      const waiting = { state: 'request-sent', credentials: [], metadata: { '_agent/unverified': {} } }
      expect(await recordOf(holder, heldId)).toMatchObject(waiting)
      failure.mockRestore()
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
      await stage.line.sweep()
      await stage.line.settle()
      vi.useRealTimers()
      stage.line.run()
      expect(await storedBy(stage, holder, heldId)).toMatchObject({ credentials: [{ credentialRecordType: 'w3c' }] })
    })

    test('an offer is declined, with a problem report', async () => {
      const { id, heldId } = await offered(format, version, '24')
      const body = { credentialRecordId: heldId, problemReportDescription: 'not mine' }
      const { body: declined } = await world.stage.call('declineCredentialOffer', { caller: holder, body })
      expect(declined).toMatchObject({ id: heldId, state: 'declined' })
      const told = await waitFor('the issuer to know', async () => {
        const exchange = await recordOf(world.caller, id)
        return exchange.state === 'abandoned' && exchange
      })
      expect(told.errorMessage).toContain('not mine')
    })

    test('a proposal is offered, asked for by itself, and stored', async () => {
      const { stage, caller: issuer } = world
      const { body: exchanges } = await stage.call('getCredentials', { caller: holder, query: { role: 'holder' } })
      const attributes = [
        { name: 'degree', value: 'Bachelor', mimeType: 'text/markdown' },
        { name: 'age', value: '40' },
      ]
      const proposal = {
        connectionId: exchanges[0].connectionId,
        protocolVersion: version,
        credentialFormats: { [format]: { credentialDefinitionId: idOf(format), attributes } },
      }
      const { body: sent } = await stage.call('proposeCredential', { caller: holder, body: proposal })
      expect(sent).toMatchObject({ state: 'proposal-sent', role: 'holder' })
      const received = await waitFor('the proposal', async () => {
        const { body } = await stage.call('getCredentials', { caller: issuer, query: { threadId: sent.threadId } })
        return body[0]
      })
      const answer = { credentialRecordId: received.id }
      const { status, body: offer } = await stage.call('acceptCredentialProposal', { caller: issuer, body: answer })
      expect({ status, state: offer.state }).toEqual({ status: 200, state: 'offer-sent' })
      expect(await storedBy(stage, holder, sent.id)).toMatchObject({
        credentialAttributes: [{ name: 'degree' }, { name: 'age' }],
      })
      const path = { credentialRecordId: received.id }
      const { body: shown } = await stage.call('getCredentialFormData', { caller: issuer, path })
      const own = await inTenant(issuer.tenantId, ({ didcomm }) => didcomm.credentials.getFormatData(received.id))
      expect(shown).toEqual(JSON.parse(JSON.stringify(own)))
      expect(shown.offerAttributes).toMatchObject([
        { name: 'degree', value: 'Bachelor', 'mime-type': 'text/markdown' },
        { name: 'age', value: '40' },
      ])
    })

    test('a proposal of no definition, or of what is not in its schema, is a 422 when it is accepted', async () => {
      const { stage, caller: issuer } = world
      const { body: exchanges } = await stage.call('getCredentials', { caller: holder, query: { role: 'holder' } })
      const proposals: [object, string][] = [
        [{ schemaName: 'degree' }, `credentialFormats.${format}.credentialDefinitionId`],
        [
          { credentialDefinitionId: idOf(format), attributes: [{ name: 'title', value: 'Dr' }] },
          `credentialFormats.${format}.attributes`,
        ],
      ]
      for (const [proposal, path] of proposals) {
        const body = {
          connectionId: exchanges[0].connectionId,
          protocolVersion: version,
          credentialFormats: { [format]: proposal },
        }
        const { body: sent } = await stage.call('proposeCredential', { caller: holder, body })
        const received = await waitFor('the proposal', async () => {
          const found = await stage.call('getCredentials', { caller: issuer, query: { threadId: sent.threadId } })
          return found.body[0]
        })
        const answer = await stage.call('acceptCredentialProposal', {
          caller: issuer,
          body: { credentialRecordId: received.id },
        })
        expect(answer.status).toBe(422)
        expect(answer.body.details.map((one: { path: string }) => one.path)).toContain(path)
      }
    })
  })

  test('what a tenant holds is proved to another tenant', async () => {
    const { stage, caller } = world
    const request = proofRequest({ cred_def_id: world.credentialDefinitionId }, 21)
    const asked = await inTenant(caller.tenantId, ({ didcomm }) =>
      didcomm.proofs.requestProof({ connectionId, protocolVersion: 'v2', proofFormats: { anoncreds: request } }),
    )
    await answerProof(asked.threadId)
    const path = { tenantId: caller.tenantId, proofRecordId: asked.id }
    const proof = await waitFor('the proof to be verified', async () => {
      const { body } = await stage.call('tenantProofFormData', { caller, path })
      return body.isVerified !== undefined && body
    })
    expect(proof).toMatchObject({ isVerified: true, state: 'done' })
  })

  describe('held credentials are found', () => {
    test.each<[string, () => AnonCredsProofRequestRestriction]>([
      ['by their schema', () => ({ schema_id: world.schemaId })],
      ['by the name of their schema', () => ({ schema_name: 'degree' })],
      ['without any restriction', () => ({})],
      ['by a value', () => ({ 'attr::degree::value': 'Bachelor' })],
    ])('%s', async (_, restriction) => {
      expect((await proved('anoncreds', proofRequest(restriction(), 18))).isVerified).toBe(true)
    })

    test('by names that differ from those of the schema in spaces and case', async () => {
      const request = proofRequest({ cred_def_id: world.credentialDefinitionId }, 18)
      request.requested_attributes.degree.name = 'De Gree'
      request.requested_predicates.age.name = 'AGE'
      expect((await proved('anoncreds', request)).isVerified).toBe(true)
      const { tenantId } = world.caller
      const asked = await inTenant(tenantId, ({ didcomm }) =>
        didcomm.proofs.requestProof({ connectionId, protocolVersion: 'v2', proofFormats: { anoncreds: request } }),
      )
      await answerProof(asked.threadId)
      const path = { tenantId, proofRecordId: asked.id }
      await waitFor('the proof to be verified here', async () => {
        const { body } = await world.stage.call('tenantProofFormData', { caller: world.caller, path })
        return body.isVerified === true
      })
    })

    test.each<[string, () => AnonCredsProofRequestRestriction]>([
      ['of another definition', () => ({ cred_def_id: 'did:memory:issuer/definition/none' })],
      ['of another value', () => ({ 'attr::degree::value': 'Doctor' })],
    ])('not %s', async (_, restriction) => {
      const { threadId } = await ask('anoncreds', proofRequest(restriction(), 18))
      expect(await answerProof(threadId)).toMatchObject({
        status: 422,
        body: { details: [{ path: 'proofFormats.anoncreds', message: expect.stringContaining('"degree"') }] },
      })
    })
  })

  test.each<[Format, string]>([
    ['indy', 'v1'],
    ['anoncreds', 'v2'],
  ])(
    'what the holder proposes as %s of %s is asked for, and presented without a further call',
    async (format, version) => {
      const { stage, caller } = world
      const { body: connections } = await stage.call('getConnections', { caller: holder })
      const { threadId } = await recordOfConnection(caller, connectionId)
      const own = connections.find((one: Json) => one.threadId === threadId)
      const credentialDefinitionId = idOf(format)
      const body = {
        ...{ connectionId: own.id, protocolVersion: version },
        proofFormats: {
          [format]: {
            attributes: [{ name: 'degree', credentialDefinitionId }],
            predicates: [{ name: 'age', credentialDefinitionId, predicate: '>=', threshold: 18 }],
          },
        },
      }
      const proposed = await stage.call('proposeProof', { caller: holder, body })
      expect(proposed).toMatchObject({ status: 200, body: { state: 'proposal-sent', protocolVersion: version } })
      const query = { threadId: proposed.body.threadId }
      const { id } = await waitFor(
        'the proposal',
        async () => (await stage.call('getProofs', { caller, query })).body[0],
      )
      const path = { proofRecordId: id }
      expect(await stage.call('acceptProofProposal', { caller, path, body: {} })).toMatchObject({ status: 200 })
      const proof = await waitFor('the proof to be verified', async () => {
        const { body: found } = await stage.call('getProofById', { caller, path })
        return found.isVerified !== undefined && found
      })
      expect(proof).toMatchObject({ isVerified: true })
    },
  )

  describe('of several formats that are proposed', () => {
    const attributes = [
      { name: 'degree', value: 'Bachelor' },
      { name: 'age', value: '41' },
    ]

    /** The holder proposes by this operation. Resolves to the issuer's record of it. */
    const proposed = async (operation: 'proposeCredential' | 'proposeProof', body: object): Promise<Json> => {
      const { stage, caller } = world
      const { body: connections } = await stage.call('getConnections', { caller: holder })
      const { threadId } = await recordOfConnection(caller, connectionId)
      const own = connections.find((one: Json) => one.threadId === threadId)
      const asked = { connectionId: own.id, protocolVersion: 'v2', ...body }
      const { body: sent } = await stage.call(operation, { caller: holder, body: asked })
      const list = operation === 'proposeProof' ? 'getProofs' : 'getCredentials'
      return waitFor(
        'the proposal',
        async () => (await stage.call(list, { caller, query: { threadId: sent.threadId } })).body[0],
      )
    }

    test('one is offered alone that the issuer names, with what it leaves out as it was proposed', async () => {
      const { stage, caller } = world
      const { jsonld } = offerBody('', 'did:example:subject').credentialFormats
      const { credentialDefinitionId } = world
      const { id } = await proposed('proposeCredential', {
        credentialFormats: { jsonld, anoncreds: { credentialDefinitionId, attributes } },
      })
      const named = attributes.map((one) => (one.name === 'age' ? { ...one, value: '42' } : one))
      const body = { credentialRecordId: id, credentialFormats: { anoncreds: { attributes: named } } }
      expect(await stage.call('acceptCredentialProposal', { caller, body })).toMatchObject({ status: 200 })
      const path = { credentialRecordId: id }
      const { body: shown } = await stage.call('getCredentialFormData', { caller, path })
      expect(shown.offer).toEqual({ anoncreds: expect.objectContaining({ cred_def_id: credentialDefinitionId }) })
      expect(shown.offerAttributes).toMatchObject(named)
    })

    test('all are requested, in the words of the verifier where it has any', async () => {
      const { stage, caller } = world
      const { credentialDefinitionId } = world
      const { id: proofRecordId } = await proposed('proposeProof', {
        proofFormats: {
          anoncreds: { attributes: [{ name: 'degree', credentialDefinitionId }] },
          presentationExchange: { presentationDefinition: degreeDefinition },
        },
      })
      const own = { ...proofRequest({ cred_def_id: credentialDefinitionId }, 21), name: 'Ours' }
      const answer = { caller, path: { proofRecordId }, body: { proofFormats: { anoncreds: own } } }
      expect(await stage.call('acceptProofProposal', answer)).toMatchObject({ status: 200 })
      const { body: shown } = await stage.call('getProofFormData', { caller, path: { proofRecordId } })
      expect(shown.request).toMatchObject({
        anoncreds: own,
        presentationExchange: { presentation_definition: degreeDefinition },
      })
    })
  })

  describe('a request is answered', () => {
    const named = (format: Format, answer: object) => ({ proofFormats: { [format]: answer } })

    const held = async (): Promise<Json[]> =>
      (await world.stage.call('getW3cCredentials', { caller: holder, query: { order: 'desc' } })).body

    const younger = () => ({
      name: 'age',
      version: '1.0',
      requested_predicates: { age: { name: 'age', p_type: '<' as const, p_value: 20 } },
    })

    test('with the credential that is named, and only with one that fits', async () => {
      const { heldId } = await offered('anoncreds', 'v2', '19')
      await acceptOffer(world.stage, holder, heldId)
      const { credentials } = await storedBy(world.stage, holder, heldId)
      const [{ credentialRecordId }] = credentials
      const request = proofRequest({ cred_def_id: world.credentialDefinitionId }, 18)
      const answer = { credentials: { degree: [credentialRecordId], age: [credentialRecordId] } }
      expect((await proved('anoncreds', request, 'v2', named('anoncreds', answer))).isVerified).toBe(true)
      const { threadId } = await ask('anoncreds', proofRequest({ cred_def_id: world.credentialDefinitionId }, 21))
      expect(await answerProof(threadId, named('anoncreds', answer))).toMatchObject({
        status: 422,
        body: { details: [{ path: 'proofFormats.anoncreds.credentials.age' }] },
      })
    })

    test('with the credential that is named, of which there are hundreds of newer ones', async () => {
      const { transaction } = await import('../../lib/store/transaction.ts')
      const { tenantId } = holder
      const type = 'W3cCredentialRecord'
      const [oldest] = (await held()).slice(-1)
      const like = await transaction(tenantId, (unit) => unit.read(tenantId, type, oldest.id))
      const newer = Array.from({ length: 500 }, () => randomUUID())
      const write = (ids: string[], act: 'insert' | 'remove') =>
        transaction(tenantId, async (unit) => {
          for (const id of ids)
            if (act === 'remove') await unit.remove(tenantId, type, id)
            else if (like)
              unit.insert({ ...like, id, value: { ...like.value, id, createdAt: new Date().toISOString() } })
        })
      for (let from = 0; from < newer.length; from += 10) await write(newer.slice(from, from + 10), 'insert')
      const id = like?.tags.anonCredsCredentialDefinitionId
      const request = proofRequest({ cred_def_id: String(id) }, 18)
      const answer = { credentials: { degree: [oldest.id], age: [oldest.id] } }
      expect((await proved('anoncreds', request, 'v2', named('anoncreds', answer))).isVerified).toBe(true)
      for (let from = 0; from < newer.length; from += 10) await write(newer.slice(from, from + 10), 'remove')
    })

    test('for a predicate with the credential whose value it is true of', async () => {
      expect((await held()).length).toBeGreaterThan(1)
      expect((await proved('anoncreds', younger())).isVerified).toBe(true)
    })

    test('in the format that is named alone, of those that are asked for', async () => {
      const request = { name: 'degree', version: '1.0', requested_attributes: { degree: { name: 'degree' } } }
      const asked = await world.wallet.agent.didcomm.proofs.requestProof({
        connectionId: verifying.walletConnectionId,
        protocolVersion: 'v2',
        proofFormats: { anoncreds: request, presentationExchange: { presentationDefinition: degreeDefinition } },
      })
      const answer = await answerProof(asked.threadId, named('anoncreds', {}))
      expect(answer).toMatchObject({ status: 200 })
      const path = { proofRecordId: answer.body.id }
      const { body: shown } = await world.stage.call('getProofFormData', { caller: holder, path })
      expect(Object.keys(shown.request).sort()).toEqual(['anoncreds', 'presentationExchange'])
      expect(Object.keys(shown.presentation)).toEqual(['anoncreds'])
    })

    test('with self-attested values, where no credential is required', async () => {
      const request = {
        ...{ name: 'hobby', version: '1.0' },
        requested_attributes: { hobby: { name: 'hobby' }, degree: { name: 'degree' } },
      }
      const answer = { selfAttestedAttributes: { hobby: 'chess' } }
      const { threadId, id } = await ask('anoncreds', request)
      expect(await answerProof(threadId, named('anoncreds', answer))).toMatchObject({ status: 200 })
      const proof = await waitFor('the presentation', async () => {
        const { presentation } = await world.wallet.agent.didcomm.proofs.getFormatData(id)
        return presentation as Json
      })
      expect(proof.anoncreds.requested_proof.self_attested_attrs).toEqual({ hobby: 'chess' })
    })

    test.each<[string, object, string]>([
      ['a referent that there is not', { credentials: { other: ['a'] } }, 'credentials.other'],
      ['a record that there is not', { credentials: { degree: ['a'] } }, 'credentials.degree'],
      [
        'an attested value where an issuer is asked',
        { selfAttestedAttributes: { degree: 'Doctor' } },
        'selfAttestedAttributes.degree',
      ],
    ])('but not with %s', async (_, answer, path) => {
      const { threadId } = await ask('anoncreds', proofRequest({ cred_def_id: world.credentialDefinitionId }, 18))
      expect(await answerProof(threadId, named('anoncreds', answer))).toMatchObject({
        status: 422,
        body: { details: [{ path: `proofFormats.anoncreds.${path}` }] },
      })
    })

    const base64 = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64')
    const nonce = '1234567890'
    const asking = (more: object) => ({
      name: 'a',
      version: '1.0',
      nonce,
      requested_attributes: {},
      requested_predicates: {},
      ...more,
    })
    const many = (count: number, make: (index: number) => object) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, make(index)]))

    test.each<[string, unknown]>([
      ['no object', []],
      ['no nonce', { ...asking({}), nonce: undefined }],
      ['an invalid nonce', { ...asking({ requested_attributes: { a: { name: 'degree' } } }), nonce: 'a' }],
      ['nothing', asking({})],
      ['thousands of attributes', asking({ requested_attributes: many(5000, () => ({ name: 'degree' })) })],
      [
        'thousands of restrictions',
        asking({
          requested_attributes: {
            a: {
              name: 'degree',
              restrictions: Array.from({ length: 3000 }, (_, index) => ({ schema_name: `${index}` })),
            },
          },
        }),
      ],
      ['an attribute without a name', asking({ requested_attributes: { a: {} } })],
      ['a name that is a list', asking({ requested_attributes: { a: { name: ['degree'] } } })],
      ['an unknown comparison', asking({ requested_predicates: { a: { name: 'age', p_type: '==', p_value: 1 } } })],
      [
        'a number beyond 32 bits',
        asking({ requested_predicates: { a: { name: 'age', p_type: '>=', p_value: 2 ** 40 } } }),
      ],
      ['a text to compare with', asking({ requested_predicates: { a: { name: 'degree', p_type: '>=', p_value: 1 } } })],
      [
        'an invalid time',
        asking({ requested_attributes: { a: { name: 'degree' } }, non_revoked: { from: -1, to: 1e300 } }),
      ],
      [
        'a prototype',
        JSON.parse(
          '{"name":"a","version":"1.0","nonce":"1","requested_attributes":{"__proto__":{"name":"degree"}},"requested_predicates":{}}',
        ),
      ],
      [
        'restrictions that are texts',
        asking({ requested_attributes: { a: { name: 'degree', restrictions: ['all'] } } }),
      ],
      ['two attributes in one', asking({ requested_attributes: { a: { name: 'degree', names: ['age'] } } })],
    ])('to no verifier that asks for %s, without an internal error', async (_, request) => {
      const raw = new RawMessages(world.wallet)
      const id = randomUUID()
      const { status } = await raw.sendOn(verifying.walletConnectionId, {
        '@type': 'https://didcomm.org/present-proof/2.0/request-presentation',
        '@id': id,
        formats: [{ attach_id: 'a', format: 'anoncreds/proof-request@v1.0' }],
        'request_presentations~attach': [
          { '@id': 'a', 'mime-type': 'application/json', data: { base64: base64(request) } },
        ],
      })
      expect(status).toBeLessThan(500)
      const { body: found } = await world.stage.call('getProofs', { caller: holder, query: { threadId: id } })
      if (found.length === 0) return
      expect((await answerProof(id)).status).toBe(422)
    })
  })

  test('what is stored names no context that would be fetched', async () => {
    const contexts = await inTenant(holder.tenantId, async ({ context }) =>
      (await context.resolve(W3cCredentialRepository).getAll(context)).flatMap((record) => record.getTags().contexts),
    )
    expect(contexts.length).toBeGreaterThan(0)
    expect(contexts.filter((one) => one === undefined || !BUNDLED_CONTEXTS.has(one))).toEqual([])
  })

  test('two first offers that are accepted concurrently create one link secret', async () => {
    holder = await createTenant(world.stage, 'Another holder')
    connectionId = (await connectTenants(world.stage, world.caller, holder)).connectionId
    const offers = [await offered('anoncreds', 'v2', '30'), await offered('anoncreds', 'v2', '31')]
    await Promise.all(offers.map(({ heldId }) => acceptOffer(world.stage, holder, heldId)))
    for (const { heldId } of offers) await storedBy(world.stage, holder, heldId)
    const secrets = await inTenant(holder.tenantId, ({ context }) =>
      context.resolve(AnonCredsLinkSecretRepository).findByQuery(context, { isDefault: true }),
    )
    expect(secrets).toHaveLength(1)
  })
})
