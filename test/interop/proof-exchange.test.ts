/** A proof between two tenants, over HTTP on both sides: asked for on a connection, answered with what is held, acknowledged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectTenants } from '../support/anoncreds/connect-tenants.ts'
import { degreeAbout, hold, keyDidOf } from '../support/held-degree.ts'
import { createTenant, degreeDefinition, requestBody } from '../support/scenes.ts'
import { type InProcessStage, type Json, type Reply, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

interface Tenant {
  tenantId: string
}

let stage: InProcessStage
let verifier: Tenant
let prover: Tenant
/** The verifier's. */
let connectionId: string
let subject: string
let degree: string

beforeAll(async () => {
  stage = await startInProcessStage()
  stage.line.run()
  verifier = await createTenant(stage, 'Verifier')
  prover = await createTenant(stage, 'Prover')
  connectionId = (await connectTenants(stage, verifier, prover)).connectionId
  subject = await keyDidOf(prover)
  degree = await hold(verifier, prover, degreeAbout(subject))
})
afterAll(() => stage.stop())

const request = async (body: object = {}): Promise<Json> => {
  const asked = await stage.call('requestProof', {
    caller: verifier,
    body: { connectionId, ...requestBody, autoAcceptProof: 'never', ...body },
  })
  expect(asked).toMatchObject({ status: 200 })
  return asked.body
}

/** The prover's record of the exchange, when it has the request. */
const received = ({ threadId }: Json): Promise<Json> =>
  waitFor('the request', async () => (await stage.call('getProofs', { caller: prover, query: { threadId } })).body[0])

const proofOf = async (caller: Tenant, proofRecordId: string): Promise<Json> =>
  (await stage.call('getProofById', { caller, path: { proofRecordId } })).body

const inState = (caller: Tenant, proofRecordId: string, ...states: string[]): Promise<Json> =>
  waitFor(`the state ${states}`, async () => {
    const proof = await proofOf(caller, proofRecordId)
    return states.includes(proof.state) && proof
  })

const accept = (proofRecordId: string, body: object = {}): Promise<Reply> =>
  stage.call('acceptProofRequest', { caller: prover, path: { proofRecordId }, body })

test('a proof is requested, presented and acknowledged', async () => {
  const asked = await request({ comment: 'Please' })
  expect(asked).toMatchObject({ state: 'request-sent', role: 'verifier', connectionId })
  const held = await received(asked)
  expect(held).toMatchObject({ state: 'request-received', role: 'prover', threadId: asked.threadId })
  expect(await accept(held.id)).toMatchObject({ status: 200, body: { state: 'presentation-sent' } })
  const verified = await inState(verifier, asked.id, 'presentation-received', 'abandoned')
  expect(verified).toMatchObject({ state: 'presentation-received', isVerified: true })
  const path = { proofRecordId: asked.id }
  const acknowledged = await stage.call('acceptPresentation', { caller: verifier, path })
  expect(acknowledged).toMatchObject({ status: 200, body: { state: 'done', isVerified: true } })
  await inState(prover, held.id, 'done')
  const { body: formData } = await stage.call('getProofFormData', { caller: verifier, path })
  expect(formData).toMatchObject({
    request: { presentationExchange: { presentation_definition: degreeDefinition } },
    presentation: {
      presentationExchange: { verifiableCredential: [{ credentialSubject: { id: subject, degree: 'Bachelor' } }] },
    },
  })
  const { body: own } = await stage.call('getProofFormData', { caller: prover, path: { proofRecordId: held.id } })
  expect(own.presentation.presentationExchange).toMatchObject({
    holder: subject,
    verifiableCredential: [{ credentialSubject: { degree: 'Bachelor' } }],
  })
})

describe('credentials that are named', () => {
  const named = (ids: string[], descriptor = 'degree') => ({
    proofFormats: { presentationExchange: { credentials: { [descriptor]: ids } } },
  })

  test('are presented', async () => {
    const other = await hold(verifier, prover, degreeAbout(subject, { issuanceDate: '2025-01-01T00:00:00Z' }))
    const asked = await request()
    const held = await received(asked)
    expect((await accept(held.id, named([degree]))).status).toBe(200)
    await inState(verifier, asked.id, 'presentation-received')
    const { body } = await stage.call('getProofFormData', { caller: verifier, path: { proofRecordId: asked.id } })
    expect(body.presentation.presentationExchange.verifiableCredential).toMatchObject([
      { issuanceDate: '2026-01-01T00:00:00Z' },
    ])
    expect(other).not.toBe(degree)
  })
})
