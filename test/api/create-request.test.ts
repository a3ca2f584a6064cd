/** CreateRequest over HTTP. */
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectInvalid, globex, tokens, world } from '../support/api/scene.ts'
import { anonCredsRequest, degreeDefinition } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const path = '/proofs/create-request-oob'
const { token } = acme
const presentationExchange = {
  presentationDefinition: degreeDefinition,
  options: { challenge: 'example-challenge', domain: 'example.org' },
}
const valid = { protocolVersion: 'v2', proofFormats: { presentationExchange } }

const create = (body: object, as = token) => api.post(path, { token: as, body })

/** The request that the invitation carries. */
const requestIn = ({ invitation }: Json): Json => {
  const [attachment] = invitation['requests~attach']
  return JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString())
}

test('returns an invitation that contains the request, and the ids for the form data', async () => {
  const answer = await create({ ...valid, label: 'Acme University', goalCode: 'aries.vc.verify' })
  expect(answer.status).toBe(200)
  const { body } = answer
  expect(Object.keys(body).sort()).toEqual([
    'invitation',
    'invitationDid',
    'invitationUrl',
    'outOfBandRecord',
    'outOfBandRecordId',
    'proofRecordId',
    'proofRecordThId',
    'proofRequestThId',
    'shortInvitationUrl',
  ])
  expect(body).toMatchObject({ outOfBandRecordId: body.outOfBandRecord.id, proofRequestThId: body.proofRecordThId })
  expect(body.invitation).toMatchObject({
    '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
    '@id': expect.any(String),
    messageType: body.invitation['@type'],
    label: 'Acme University',
    goal_code: 'aries.vc.verify',
    handshake_protocols: ['https://didcomm.org/didexchange/1.1', 'https://didcomm.org/connections/1.0'],
    services: [body.invitationDid],
  })
  expect(body.invitationDid).toMatch(/^did:peer:2\./)
  expect(body.outOfBandRecord).toMatchObject({
    state: 'await-response',
    role: 'sender',
    reusable: false,
    autoAcceptConnection: true,
    _tags: { state: 'await-response', role: 'sender' },
  })
  const { messageType: _, ...invitation } = body.invitation
  const [url, encoded = ''] = body.invitationUrl.split('?oob=')
  expect(url).toBe(world.baseUrl)
  expect(JSON.parse(Buffer.from(encoded, 'base64url').toString())).toEqual(invitation)
  expect(requestIn(body)).toMatchObject({ '~thread': { thid: body.proofRecordThId } })

  const formData = await api.get(`/multi-tenancy/form-data/${acme.tenantId}/${body.proofRecordId}`, { token })
  expect(formData.body).toMatchObject({ state: 'request-sent', threadId: body.proofRecordThId })
  await expectExample(answer)
})

describe('a request for a presentation', () => {
  const askedWith = async (options?: object): Promise<Json> => {
    const proofFormats = {
      presentationExchange: { presentationDefinition: degreeDefinition, ...(options && { options }) },
    }
    const { status, body } = await create({ protocolVersion: 'v2', proofFormats })
    expect(status).toBe(200)
    const [{ data }] = requestIn(body)['request_presentations~attach']
    return data.json ?? JSON.parse(Buffer.from(data.base64, 'base64').toString())
  }
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

  test('has a fresh UUID as challenge, and no domain, unless the caller chooses them', async () => {
    const [first, second] = [await askedWith(), await askedWith({})]
    expect(first.options).toEqual({ challenge: expect.stringMatching(uuid) })
    expect(second.options).toEqual({ challenge: expect.stringMatching(uuid) })
    expect(first.options.challenge).not.toBe(second.options.challenge)
    expect((await askedWith({ challenge: 'c', domain: 'example.org' })).options).toEqual({
      challenge: 'c',
      domain: 'example.org',
    })
  })

  test('shows the wallet none of the contexts that the verifier trusts', async () => {
    const contexts = { 'https://example.org/degree/v1': { '@context': { degree: 'https://example.org/secret' } } }
    expect(JSON.stringify(await askedWith({ contexts }))).not.toContain('secret')
  })
})

describe('makes the request in the agent that the token acts for', () => {
  test.each(Object.entries(tokens))('%s: the base agent', async (_, rootToken) => {
    const { status, body } = await create(valid, rootToken)
    expect(status).toBe(200)
    expect(body.invitation.label).toBe('serverless-agent')
    const { body: tenants } = await api.get(`/multi-tenancy/form-data/${acme.tenantId}/${body.proofRecordId}`, {
      token,
    })
    expect(tenants.statusCode).toBe(404)
  })

  test('a tenant: its own, under its own label', async () => {
    const { body } = await create(valid)
    expect(body.invitation.label).toBe(acme.label)
  })
})

describe('takes every format of its protocol version', () => {
  test.each([
    ['v1', { indy: anonCredsRequest }],
    ['v2', { indy: anonCredsRequest }],
    ['v2', { anoncreds: anonCredsRequest }],
    ['v2', { presentationExchange }],
    ['v2', { indy: anonCredsRequest, anoncreds: anonCredsRequest, presentationExchange }],
  ])('%s %j', async (protocolVersion, proofFormats) => {
    const { status, body } = await create({ protocolVersion, proofFormats })
    expect(status).toBe(200)
    const [, major] = protocolVersion
    expect(requestIn(body)['@type']).toBe(`https://didcomm.org/present-proof/${major}.0/request-presentation`)
    const formData = await api.get(`/multi-tenancy/form-data/${acme.tenantId}/${body.proofRecordId}`, { token })
    expect(Object.keys(formData.body.request).sort()).toEqual(Object.keys(proofFormats).sort())
  })
})

describe('takes every optional field', () => {
  test.each(['always', 'contentApproved', 'never'])('autoAcceptProof: %s', async (autoAcceptProof) => {
    const { body } = await create({ ...valid, autoAcceptProof })
    const formData = await api.get(`/multi-tenancy/form-data/${acme.tenantId}/${body.proofRecordId}`, { token })
    expect(formData.body.autoAcceptProof).toBe(autoAcceptProof)
  })

  test('autoAcceptProof is contentApproved unless said', async () => {
    const { body } = await create(valid)
    const formData = await api.get(`/multi-tenancy/form-data/${acme.tenantId}/${body.proofRecordId}`, { token })
    expect(formData.body.autoAcceptProof).toBe('contentApproved')
  })

  test('goalCode, comment, willConfirm and parentThreadId reach the request, imageUrl the invitation', async () => {
    const imageUrl = 'https://example.org/logo.png'
    const fields = { goalCode: 'g', comment: 'c', willConfirm: true, parentThreadId: 'parent-thread', imageUrl }
    const { body } = await create({ ...valid, ...fields })
    expect(requestIn(body)).toMatchObject({
      goal_code: 'g',
      comment: 'c',
      will_confirm: true,
      '~thread': { pthid: 'parent-thread' },
    })
    expect(body.invitation).toMatchObject({ goal_code: 'g', imageUrl })
  })

  test('invitationDid: a DID of this agent names it in the invitation', async () => {
    const { status, body } = await create({ ...valid, invitationDid: acme.invitationDid })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      invitationDid: acme.invitationDid,
      invitation: { services: [acme.invitationDid] },
    })
  })

  test('recipientKey: so does a key of this agent', async () => {
    const { status, body } = await create({ ...valid, recipientKey: acme.recipientKey })
    expect({ status, services: body.invitation?.services }).toEqual({ status: 200, services: [acme.invitationDid] })
  })

  test.each([
    ['invitationDid', 'of the wallet', acme.theirDid],
    ['invitationDid', 'of another tenant', globex.invitationDid],
    ['recipientKey', 'of another tenant', globex.recipientKey],
    ['invitationDid', 'of no agent', 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'],
    ['recipientKey', 'of no agent', 'z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'],
    ['recipientKey', 'that is not a key', 'nonsense'],
  ])('but no %s %s', async (field, _, value) => {
    const { status, body } = await create({ ...valid, [field]: value })
    expect({ status, fields: body.details?.map(({ path: at }: Json) => at) }).toEqual({ status: 422, fields: [field] })
    expect(JSON.stringify(body)).not.toContain(value)
  })
})

/** Their schemas: unit/interface/requests, unit/interface/presentation-definition. */
describe('names every field that is wrong', () => {
  const withContexts = (given: object) => ({
    ...valid,
    proofFormats: { presentationExchange: { ...presentationExchange, options: { contexts: given } } },
  })
  const contexts = 'proofFormats.presentationExchange.options.contexts'

  test.each<[object, string[]]>([
    [{ goalCode: 1, label: {}, comment: [] }, ['protocolVersion', 'proofFormats', 'goalCode', 'label', 'comment']],
    [{ ...valid, proofFormats: {} }, ['proofFormats']],
    [{ ...valid, protocolVersion: 'v1' }, ['proofFormats']],
    [withContexts({ 'urn:a': { '@context': { prototype: 'urn:b' } } }), [`${contexts}.urn:a.@context`]],
    [{ ...valid, goalCode: '' }, ['goalCode']],
    [{ ...valid, parentThreadId: 'a b' }, ['parentThreadId']],
    [{ ...valid, parentThreadId: `did:a:b${':'.repeat(60)}` }, ['parentThreadId']],
    [{ ...valid, willConfirm: 'yes', autoAcceptProof: 'Always' }, ['willConfirm', 'autoAcceptProof']],
    [{ ...valid, imageUrl: 'javascript:alert(1)' }, ['imageUrl']],
    [{ ...valid, recipientKey: '', invitationDid: 'acme' }, ['recipientKey', 'invitationDid']],
  ])('%j', async (body, fields) => {
    expectInvalid(await create(body), fields)
  })

  test('and tells nothing of the inside, where the JSON-LD processor calls a term as if it were a method', async () => {
    const { status, body } = await create(withContexts({ 'urn:a': { '@context': { hasOwnProperty: 'urn:b' } } }))
    expect(status).toBe(422)
    expect(body.details).toEqual([{ path: contexts, message: 'a context cannot be read: unknown' }])
  })
})
