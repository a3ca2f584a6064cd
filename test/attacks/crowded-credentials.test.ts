/** Credentials about thousands of DIDs: what their issuer makes their holder work when a proof is asked for. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { degreeAbout, hold, keyDidOf } from '../support/held-degree.ts'
import { createTenant, degreeDefinition } from '../support/scenes.ts'
import { type InProcessStage, type Reply, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { connectTenants, exchangesOf, settled, succeed } from '../support/tenants.ts'

let stage: InProcessStage
let verifier: { tenantId: string }
let holder: { tenantId: string }
let connectionId: string
let watched: StoreFaults

const holdCrowd = (crowd: string) => {
  const subjects = Array.from({ length: 700 }, (_, n) => ({ id: `did:example:${crowd}${n}`, degree: 'Bachelor' }))
  return hold(verifier, holder, degreeAbout(undefined, { credentialSubject: subjects }))
}

beforeAll(async () => {
  stage = await startInProcessStage()
  stage.line.run()
  verifier = await createTenant(stage, 'Verifier')
  holder = await createTenant(stage, 'Holder')
  connectionId = (await connectTenants(stage, verifier, holder)).inviters.id
  watched = new StoreFaults(stage.serviceClient)
  for (const crowd of ['a', 'b', 'c']) await holdCrowd(crowd)
})
afterAll(() => stage.stop())

const [{ schema } = {}] = degreeDefinition.input_descriptors
const DEAR = { id: 'dear', input_descriptors: Array.from({ length: 30 }, (_, n) => ({ id: `${n}`, schema })) }

/** Has the holder answer a request, and counts what that reads. */
const present = async (presentationDefinition: object): Promise<{ answer: Reply; requests: number }> => {
  const proofFormats = { presentationExchange: { presentationDefinition } }
  const { threadId } = await succeed(stage, 'requestProof', verifier, {
    body: { connectionId, protocolVersion: 'v2', proofFormats },
  })
  await settled(stage)
  const [proof] = await exchangesOf(holder, 'ProofRecord', threadId)
  await stage.line.pause()
  const accept = () => stage.call('acceptProofRequest', { caller: holder, path: { proofRecordId: proof.id }, body: {} })
  const { result: answer, commands } = await watched.count(accept)
  stage.line.run()
  return { answer, requests: commands.length }
}

test('costs no request for each of them', async () => {
  const { answer, requests } = await present(DEAR)
  expect(answer.status).toBe(422)
  expect(requests).toBeGreaterThan(0)
  expect(requests).toBeLessThan(50)
})

test('is in the way of no other credential, though it is newer', async () => {
  await hold(verifier, holder, degreeAbout(await keyDidOf(holder)))
  await holdCrowd('d')
  // Without constraints each of them suits as well.
  const { answer, requests } = await present({ id: 'any', input_descriptors: [{ id: 'degree', schema }] })
  expect(answer).toMatchObject({ status: 200, body: { state: 'presentation-sent' } })
  expect(requests).toBeLessThan(20)
})
