/** A proof between two tenants, by the operations on both sides: requested on a connection, answered with held credentials, acknowledged. */
import { DidCommProposePresentationV1Message } from '@credo-ts/anoncreds'
import { DidCommMessageRepository, DidCommMessageRole } from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { inTenant } from '../support/anoncreds/world.ts'
import { expectExample } from '../support/api/example.ts'
import { degreeAbout, hold, keyDidOf } from '../support/held-degree.ts'
import { createTenant, degreeDefinition, requestBody } from '../support/scenes.ts'
import type { Json, Reply } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { connectTenants, lastMessage, settled } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'

interface Tenant {
  tenantId: string
}

const stage = await useStage()
const verifier = await createTenant(stage, 'Verifier')
const prover = await createTenant(stage, 'Prover')
/** The verifier's. */
const connectionId = (await connectTenants(stage, verifier, prover)).connectionId
const subject = await keyDidOf(prover)
const degree = await hold(verifier, prover, degreeAbout(subject))

const bodyOf = (more: object = {}) => ({ connectionId, ...requestBody, autoAcceptProof: 'never', ...more })

const request = async (body: object = {}): Promise<Json> => {
  const asked = await stage.call('requestProof', { caller: verifier, body: bodyOf(body) })
  expect(asked).toMatchObject({ status: 200 })
  return asked.body
}

/** The prover's record of the exchange, once the request has arrived. */
const received = ({ threadId }: Json, caller = prover): Promise<Json> =>
  waitFor('the request', async () => (await stage.call('getProofs', { caller, query: { threadId } })).body[0])

const proofOf = async (caller: Tenant, proofRecordId: string): Promise<Json> =>
  (await stage.call('getProofById', { caller, path: { proofRecordId } })).body

const inState = (caller: Tenant, proofRecordId: string, ...states: string[]): Promise<Json> =>
  waitFor(`the state ${states}`, async () => {
    const proof = await proofOf(caller, proofRecordId)
    return states.includes(proof.state) && proof
  })

const accept = (proofRecordId: string, body: object = {}, caller = prover): Promise<Reply> =>
  stage.call('acceptProofRequest', { caller, path: { proofRecordId }, body })

test('a proof is requested, presented and acknowledged', async () => {
  const asked = await request({ comment: 'Please' })
  expect(asked).toMatchObject({ state: 'request-sent', role: 'verifier', connectionId })
  await expectExample({ operationId: 'RequestProof', asked: bodyOf({ comment: 'Please' }), body: asked })
  const held = await received(asked)
  expect(held).toMatchObject({ state: 'request-received', role: 'prover', threadId: asked.threadId })
  expect(await accept(held.id)).toMatchObject({ status: 200, body: { state: 'presentation-sent' } })
  const verified = await inState(verifier, asked.id, 'presentation-received', 'abandoned')
  expect(verified).toMatchObject({ state: 'presentation-received', isVerified: true })
  const path = { proofRecordId: asked.id }
  const acknowledged = await stage.call('acceptPresentation', { caller: verifier, path })
  expect(acknowledged).toMatchObject({ status: 200, body: { state: 'done', isVerified: true } })
  await expectExample({ operationId: 'AcceptPresentation', asked: undefined, body: acknowledged.body })
  await inState(prover, held.id, 'done')
  const shown = await proofOf(verifier, asked.id)
  await expectExample({ operationId: 'GetProofById', asked: undefined, body: shown })
  const { threadId } = asked
  const { body: listed } = await stage.call('getProofs', { caller: verifier, query: { threadId } })
  expect(listed).toEqual([shown])
  await expectExample({ operationId: 'GetProofs', asked: undefined, body: listed })
  const { body: formData } = await stage.call('getProofFormData', { caller: verifier, path })
  expect(formData).toMatchObject({
    request: { presentationExchange: { presentation_definition: degreeDefinition } },
    presentation: {
      presentationExchange: { verifiableCredential: [{ credentialSubject: { id: subject, degree: 'Bachelor' } }] },
    },
  })
  await expectExample({ operationId: 'GetProofFormData', asked: undefined, body: formData })
  const { body: own } = await stage.call('getProofFormData', { caller: prover, path: { proofRecordId: held.id } })
  expect(own.presentation.presentationExchange).toMatchObject({
    holder: subject,
    verifiableCredential: [{ credentialSubject: { degree: 'Bachelor' } }],
  })
})

/** The presentation as the verifier reads it. */
const presentedTo = async (proofRecordId: string): Promise<Json> =>
  (await stage.call('getProofFormData', { caller: verifier, path: { proofRecordId } })).body.presentation
    .presentationExchange

const withDefinition = (descriptor: object) => ({
  proofFormats: {
    presentationExchange: {
      ...requestBody.proofFormats.presentationExchange,
      presentationDefinition: { ...degreeDefinition, input_descriptors: [{ id: 'degree', ...descriptor }] },
    },
  },
})

const AT = 'proofFormats.presentationExchange'

describe('named credentials', () => {
  const named = (ids: string[], descriptor = 'degree') => ({
    proofFormats: { presentationExchange: { credentials: { [descriptor]: ids } } },
  })

  test('are presented, though the agent would have chosen a newer one', async () => {
    await hold(verifier, prover, degreeAbout(subject, { issuanceDate: '2025-01-01T00:00:00Z' }))
    const [first, second] = [await request(), await request()]
    const answer = await accept((await received(first)).id, named([degree]))
    expect(answer.status).toBe(200)
    await expectExample({ operationId: 'AcceptProofRequest', asked: named([degree]), body: answer.body })
    expect((await accept((await received(second)).id)).status).toBe(200)
    for (const { id } of [first, second]) await inState(verifier, id, 'presentation-received')
    expect((await presentedTo(first.id)).verifiableCredential[0].issuanceDate).toBe('2026-01-01T00:00:00Z')
    expect((await presentedTo(second.id)).verifiableCredential[0].issuanceDate).toBe('2025-01-01T00:00:00Z')
  })

  test('are presented once, though they are named twice', async () => {
    const asked = await request()
    expect((await accept((await received(asked)).id, named([degree, degree]))).status).toBe(200)
    await inState(verifier, asked.id, 'presentation-received')
    expect((await presentedTo(asked.id)).verifiableCredential).toHaveLength(1)
  })

  test.each<[string, () => Promise<[ids: string[], descriptor?: string]>]>([
    ["of another tenant's", async () => [[await hold(prover, verifier, degreeAbout(await keyDidOf(verifier)))]]],
    ['that does not exist', async () => [['00000000-0000-4000-8000-000000000000']]],
    ['about another subject', async () => [[await hold(verifier, prover, degreeAbout(await keyDidOf(verifier)))]]],
    ['for an unknown descriptor', async () => [[degree], 'other']],
  ])('but not %s', async (_, names) => {
    const [ids, descriptor = 'degree'] = await names()
    const { id } = await received(await request())
    expect(await accept(id, named(ids, descriptor))).toMatchObject({
      status: 422,
      body: { details: [{ path: `${AT}.credentials.${descriptor}` }] },
    })
    expect(await proofOf(prover, id)).toMatchObject({ state: 'request-received' })
  })
})

test.each<[string, object]>([
  ["of a type's full IRI", { schema: [{ uri: 'https://example.org/DegreeCredential' }] }],
  ['of no schema', { constraints: { fields: [{ path: ['$.credentialSubject.degree'] }] } }],
  [
    'whose holder is asked for',
    {
      constraints: {
        fields: [{ id: 'a', path: ['$.credentialSubject.degree'] }],
        is_holder: [{ directive: 'required', field_id: ['a'] }],
      },
    },
  ],
])('a credential %s is found and verified', async (_, descriptor) => {
  const asked = await request(withDefinition(descriptor))
  expect((await accept((await received(asked)).id)).status).toBe(200)
  expect(await inState(verifier, asked.id, 'presentation-received', 'abandoned')).toMatchObject({ isVerified: true })
})

test('a credential that fits two descriptors is presented once', async () => {
  const [descriptor] = degreeDefinition.input_descriptors
  const { presentationExchange } = requestBody.proofFormats
  const input_descriptors = [descriptor, { ...descriptor, id: 'again' }]
  const presentationDefinition = { ...degreeDefinition, input_descriptors }
  const asked = await request({
    proofFormats: { presentationExchange: { ...presentationExchange, presentationDefinition } },
  })
  expect((await accept((await received(asked)).id)).status).toBe(200)
  expect(await inState(verifier, asked.id, 'presentation-received', 'abandoned')).toMatchObject({ isVerified: true })
  expect((await presentedTo(asked.id)).verifiableCredential).toHaveLength(1)
})

test('a presentation has a proof of the type that the verifier permits', async () => {
  const format = { ldp_vp: { proof_type: ['Ed25519Signature2020'] } }
  const { presentationExchange } = requestBody.proofFormats
  const presentationDefinition = { ...degreeDefinition, format }
  const asked = await request({
    proofFormats: { presentationExchange: { ...presentationExchange, presentationDefinition } },
  })
  expect(await accept((await received(asked)).id)).toMatchObject({ status: 200 })
  expect(await inState(verifier, asked.id, 'presentation-received', 'abandoned')).toMatchObject({ isVerified: true })
})

const peerDidOf = async (caller: Tenant): Promise<string> =>
  (await stage.call('createDid', { caller, body: { method: 'peer', numAlgo: 4 } })).body.did

test.each([
  ['with a proof of 2020', keyDidOf, 'Ed25519Signature2020'],
  ['about a did:peer:4, whose document has relative ids,', peerDidOf, 'Ed25519Signature2018'],
] as const)('a credential %s is verified', async (_, didOf, proofType) => {
  const holder = await createTenant(stage, 'Holder')
  const { connectionId: ofHolder } = await connectTenants(stage, verifier, holder)
  await hold(verifier, holder, degreeAbout(await didOf(holder)), proofType)
  const asked = await request({ connectionId: ofHolder })
  const { id: proofRecordId } = await waitFor(
    'the request',
    async () => (await stage.call('getProofs', { caller: holder, query: { threadId: asked.threadId } })).body[0],
  )
  const path = { proofRecordId }
  expect(await stage.call('acceptProofRequest', { caller: holder, path, body: {} })).toMatchObject({ status: 200 })
  expect(await inState(verifier, asked.id, 'presentation-received', 'abandoned')).toMatchObject({ isVerified: true })
})

test('a bearer credential (no subject id) is found and verified', async () => {
  await hold(verifier, prover, degreeAbout(undefined, { issuanceDate: '2024-01-01T00:00:00Z' }))
  const filter = { const: '2024-01-01T00:00:00Z' }
  const asked = await request(withDefinition({ constraints: { fields: [{ path: ['$.issuanceDate'], filter }] } }))
  expect(await accept((await received(asked)).id)).toMatchObject({ status: 200 })
  expect(await inState(verifier, asked.id, 'presentation-received', 'abandoned')).toMatchObject({ isVerified: true })
})

test('it is chosen where there is no other credential', async () => {
  const bearer = await createTenant(stage, 'Bearer')
  await hold(verifier, bearer, degreeAbout(undefined))
  const { connectionId } = await connectTenants(stage, verifier, bearer)
  const asked = await request({ connectionId })
  expect(await accept((await received(asked, bearer)).id, {}, bearer)).toMatchObject({ status: 200 })
  expect(await inState(verifier, asked.id, 'presentation-received', 'abandoned')).toMatchObject({ isVerified: true })
})

test('where nothing fits it is a 422, and the request stays', async () => {
  const filter = { const: 'Doctor' }
  const asked = await request(
    withDefinition({ constraints: { fields: [{ path: ['$.credentialSubject.degree'], filter }] } }),
  )
  const { id } = await received(asked)
  expect(await accept(id)).toMatchObject({
    status: 422,
    body: { details: [{ path: AT, message: expect.stringContaining('no held credential satisfies "degree"') }] },
  })
  expect(await proofOf(prover, id)).toMatchObject({ state: 'request-received' })
  expect(await accept(id, { proofFormats: { indy: {} } })).toMatchObject({
    status: 422,
    body: { details: [{ path: 'proofFormats.indy', message: 'is not requested' }] },
  })
})

test('where nothing is required it is a 422, and a named credential is presented', async () => {
  const submission_requirements = [{ rule: 'pick', min: 0, from: 'A' }]
  const [descriptor] = degreeDefinition.input_descriptors
  const input_descriptors = [{ ...descriptor, id: 'degree', group: ['A'] }]
  const { presentationExchange } = requestBody.proofFormats
  const presentationDefinition = { ...degreeDefinition, input_descriptors, submission_requirements }
  const asked = await request({
    proofFormats: { presentationExchange: { ...presentationExchange, presentationDefinition } },
  })
  const { id } = await received(asked)
  const message = 'cannot answer the request: it requires no credential, and the call names none'
  expect(await accept(id)).toMatchObject({ status: 422, body: { details: [{ path: AT, message }] } })
  const named = { credentials: { degree: [degree] } }
  expect(await accept(id, { proofFormats: { presentationExchange: named } })).toMatchObject({ status: 200 })
  expect(await inState(verifier, asked.id, 'presentation-received', 'abandoned')).toMatchObject({ isVerified: true })
})

test('a credential that has expired, by either name of its end, is not chosen', async () => {
  const holder = await createTenant(stage, 'Former student')
  const connection = await connectTenants(stage, verifier, holder)
  const about = await keyDidOf(holder)
  for (const end of ['expirationDate', 'validUntil'])
    await hold(verifier, holder, degreeAbout(about, { [end]: '2026-02-01T00:00:00Z' }))
  const { threadId } = await request({ connectionId: connection.connectionId })
  const { id } = await waitFor(
    'the request',
    async () => (await stage.call('getProofs', { caller: holder, query: { threadId } })).body[0],
  )
  const path = { proofRecordId: id }
  expect(await stage.call('acceptProofRequest', { caller: holder, path, body: {} })).toMatchObject({ status: 422 })
})

test('a request on a connection that has ended is declined without a report', async () => {
  const guest = await createTenant(stage, 'Guest')
  const { inviters } = await connectTenants(stage, verifier, guest)
  const { id: proofRecordId } = await received(await request({ connectionId: inviters.id }), guest)
  await stage.call('deleteConnection', { caller: verifier, path: { connectionId: inviters.id } })
  await settled(stage)
  const decline = (body: object) => stage.call('declineProofRequest', { caller: guest, path: { proofRecordId }, body })
  const message = 'the connection is not ready: its state is abandoned'
  expect(await decline({})).toMatchObject({ status: 409, body: { message } })
  expect(await decline({ sendProblemReport: false })).toMatchObject({ status: 200, body: { state: 'declined' } })
})

test('a request is declined, and the verifier is notified', async () => {
  const asked = await request()
  const { id } = await received(asked)
  const body = { problemReportDescription: 'Not today' }
  const declined = await stage.call('declineProofRequest', { caller: prover, path: { proofRecordId: id }, body })
  expect(declined).toMatchObject({ status: 200, body: { state: 'declined' } })
  await expectExample({ operationId: 'DeclineProofRequest', asked: body, body: declined.body })
  expect(await inState(verifier, asked.id, 'abandoned')).toMatchObject({
    errorMessage: expect.stringContaining('Not today'),
  })
})

test('a step in the wrong state is a 409', async () => {
  const asked = await request()
  const { id } = await received(asked)
  const steps = ['acceptProofRequest', 'declineProofRequest', 'acceptPresentation', 'acceptProofProposal'] as const
  const refused = (caller: Tenant, proofRecordId: string, step: (typeof steps)[number]) =>
    stage.call(step, { caller, path: { proofRecordId }, body: {} })
  for (const step of steps)
    expect(await refused(verifier, asked.id, step)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('the state of the exchange is request-sent, as verifier') },
    })
  for (const step of ['acceptPresentation', 'acceptProofProposal'] as const)
    expect(await refused(prover, id, step)).toMatchObject({ status: 409 })
  expect((await accept(id)).status).toBe(200)
  for (const step of steps) expect(await refused(prover, id, step)).toMatchObject({ status: 409 })
  for (const step of steps) expect(await refused(prover, asked.id, step)).toMatchObject({ status: 404 })
})

describe('a proposal', () => {
  const definition = requestBody.proofFormats.presentationExchange.presentationDefinition

  const propose = async (body: object = {}): Promise<Json> => {
    const { body: connections } = await stage.call('getConnections', { caller: prover })
    const asked = {
      connectionId: connections[0].id,
      protocolVersion: 'v2',
      proofFormats: { presentationExchange: { presentationDefinition: definition } },
      ...body,
    }
    const proposed = await stage.call('proposeProof', { caller: prover, body: asked })
    expect(proposed).toMatchObject({ status: 200, body: { state: 'proposal-sent', role: 'prover' } })
    if (Object.keys(body).length === 0) await expectExample({ operationId: 'ProposeProof', asked, body: proposed.body })
    return proposed.body
  }

  const proposalOf = ({ threadId }: Json): Promise<Json> =>
    waitFor(
      'the proposal',
      async () => (await stage.call('getProofs', { caller: verifier, query: { threadId } })).body[0],
    )

  const acceptProposal = (proofRecordId: string, body: object = {}): Promise<Reply> =>
    stage.call('acceptProofProposal', { caller: verifier, path: { proofRecordId }, body })

  const { contexts } = requestBody.proofFormats.presentationExchange.options
  const asRequested = (presentationDefinition: object = definition) => ({
    proofFormats: { presentationExchange: { presentationDefinition, options: { contexts } } },
  })

  test('is accepted, and what was proposed is presented without a further call', async () => {
    const proposed = await propose()
    const { id } = await proposalOf(proposed)
    const { body } = await stage.call('getProofFormData', { caller: verifier, path: { proofRecordId: id } })
    expect(body).toEqual({ proposal: { presentationExchange: definition } })
    const accepted = await acceptProposal(id, asRequested())
    expect(accepted).toMatchObject({ status: 200, body: { state: 'request-sent' } })
    await expectExample({ operationId: 'AcceptProofProposal', asked: asRequested(), body: accepted.body })
    expect(await inState(verifier, id, 'done', 'abandoned')).toMatchObject({ isVerified: true })
    await inState(prover, proposed.id, 'done')
  })

  test('is requested unchanged where the call has no other content', async () => {
    const { id } = await proposalOf(await propose({ autoAcceptProof: 'never' }))
    expect(await acceptProposal(id, { proofRecordId: id })).toMatchObject({ status: 200 })
    const { body } = await stage.call('getProofFormData', { caller: verifier, path: { proofRecordId: id } })
    expect(body.request.presentationExchange).toMatchObject({ presentation_definition: definition })
  })

  test.each(['always', 'contentApproved'])('of %s does not answer a request for something else', async (mode) => {
    const proposed = await propose({ autoAcceptProof: mode })
    const { id } = await proposalOf(proposed)
    const other = { ...definition, input_descriptors: [{ ...definition.input_descriptors[0], constraints: {} }] }
    expect(await acceptProposal(id, asRequested(other))).toMatchObject({ status: 200 })
    await inState(prover, proposed.id, 'request-received')
    expect(await proofOf(verifier, id)).toMatchObject({ state: 'request-sent' })
  })

  test('that is never to be answered automatically waits', async () => {
    const proposed = await propose({ autoAcceptProof: 'never' })
    const { id } = await proposalOf(proposed)
    expect(await acceptProposal(id, asRequested())).toMatchObject({ status: 200 })
    await inState(prover, proposed.id, 'request-received')
  })

  test('of an attribute that no request could contain is rejected, not requested without it', async () => {
    const credentialDefinitionId = 'V4SGRU86Z58d6TV7PBUe6f:3:CL:7:default'
    const attributes = [
      { name: 'name', credentialDefinitionId, referent: 'one' },
      { name: 'age', credentialDefinitionId },
    ]
    const proposed = await propose({ protocolVersion: 'v1', proofFormats: { indy: { attributes } } })
    const { id } = await proposalOf(proposed)
    await inTenant(verifier.tenantId, async ({ context }) => {
      const messages = context.resolve(DidCommMessageRepository)
      const agentMessage = await messages.getAgentMessage(context, {
        associatedRecordId: id,
        messageClass: DidCommProposePresentationV1Message,
      })
      for (const attribute of agentMessage.presentationProposal.attributes)
        if (attribute.referent === 'one') attribute.referent = 'constructor'
      const { Receiver: role } = DidCommMessageRole
      await messages.saveOrUpdateAgentMessage(context, { agentMessage, associatedRecordId: id, role })
    })
    expect(await acceptProposal(id)).toMatchObject({
      status: 422,
      body: { details: [{ path: 'proofFormats.indy.requested_attributes' }] },
    })
  })

  test('has the comment and goal of its call, and so have the request and the presentation that follow', async () => {
    const words = { comment: 'Hello', goalCode: 'verify' }
    const said = { ...words, autoAcceptProof: 'never' }
    const shown = { comment: 'Hello', goal_code: 'verify' }
    const parentThreadId = '22222222-2222-4222-8222-222222222222'
    const proposed = await propose({ ...said, parentThreadId })
    const { id } = await proposalOf(proposed)
    const thread = { thid: proposed.threadId, pthid: parentThreadId }
    expect(await lastMessage(verifier, id)).toMatchObject({ ...shown, '~thread': thread })
    await acceptProposal(id, { ...asRequested(), ...said, willConfirm: false })
    expect(await inState(prover, proposed.id, 'request-received')).toMatchObject({ autoAcceptProof: 'never' })
    expect(await lastMessage(prover, proposed.id)).toMatchObject({ ...shown, will_confirm: false })
    expect((await accept(proposed.id, words)).status).toBe(200)
    expect(await inState(verifier, id, 'presentation-received')).toMatchObject({ autoAcceptProof: 'never' })
    expect(await lastMessage(verifier, id)).toMatchObject(shown)
  })

  test('is accepted for the record of the path only', async () => {
    const { id } = await proposalOf(await propose())
    expect(await acceptProposal(id, { proofRecordId: 'another' })).toMatchObject({
      status: 422,
      body: { details: [{ path: 'proofRecordId' }] },
    })
  })
})

describe('a tenant whose settings accept proof requests', () => {
  const holder = async (accepts: object = { autoAcceptProofRequests: true }) => {
    const { body } = await stage.call('createTenant', { body: { config: { label: 'Machine', ...accepts } } })
    const tenant = { tenantId: body.id }
    return { tenant, connectionId: (await connectTenants(stage, verifier, tenant)).connectionId }
  }

  test('presents without a call', async () => {
    const { tenant, connectionId: its } = await holder()
    await hold(verifier, tenant, degreeAbout(await keyDidOf(tenant)))
    const asked = await request({ connectionId: its })
    expect(await inState(verifier, asked.id, 'presentation-received', 'abandoned')).toMatchObject({ isVerified: true })
  })

  const expectWaiting = async ({ tenant, connectionId: its }: Awaited<ReturnType<typeof holder>>) => {
    const { threadId } = await request({ connectionId: its })
    const held = await waitFor(
      'the request',
      async () => (await stage.call('getProofs', { caller: tenant, query: { threadId } })).body[0],
    )
    expect(held).toMatchObject({ state: 'request-received' })
  }

  test('lets a request wait for which no credential fits', async () => {
    await expectWaiting(await holder())
  })

  test('does not present credentials without a call where they accept only offers', async () => {
    const one = await holder({ autoAcceptOffers: true })
    await hold(verifier, one.tenant, degreeAbout(await keyDidOf(one.tenant)))
    await expectWaiting(one)
  })
})

test('proofs are filtered in the list, a page at a time', async () => {
  const list = (query: Record<string, string>) => stage.call('getProofs', { caller: verifier, query })
  const { body: all } = await list({})
  expect(all.length).toBeGreaterThan(10)
  const { body: ofConnection } = await list({ connectionId, state: 'request-sent', role: 'verifier' })
  expect(ofConnection.length).toBeGreaterThan(0)
  for (const proof of ofConnection) expect(proof).toMatchObject({ connectionId, state: 'request-sent' })
  expect((await list({ role: 'prover' })).body).toEqual([])
  const first = await list({ limit: '2', order: 'desc' })
  expect(first.body.map(({ id }: Json) => id)).toEqual(
    all
      .toReversed()
      .slice(0, 2)
      .map(({ id }: Json) => id),
  )
  expect(first.headers.Link ?? first.headers.link).toContain('rel="next"')
  const parentThreadId = '11111111-1111-4111-8111-111111111111'
  const { id } = await request({ parentThreadId })
  expect((await list({ parentThreadId })).body).toMatchObject([{ id, parentThreadId }])
})
