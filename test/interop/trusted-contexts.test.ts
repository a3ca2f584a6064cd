/** Contexts that a stage trusts by its setting: fetched once, by their digest, when a proof is requested, and never when one is verified. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, createTenant } from '../support/scenes.ts'
import { type InProcessStage, type Json, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { CREDENTIALS_V1, issue, present, sendPresentation, submissionOf } from '../support/wallets/presentations.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { Wallet } from '../wallet/wallet.ts'

const TEXT = JSON.stringify({ '@context': { degree: 'https://example.org/degree' } })
const definition: Json = {
  id: 'degree',
  input_descriptors: [{ id: 'degree', constraints: { fields: [{ path: ['$.credentialSubject.degree'] }] } }],
}
const requestBody = {
  protocolVersion: 'v2',
  proofFormats: { presentationExchange: { presentationDefinition: definition } },
}

let server: Server
let served = TEXT
let fetched = 0
let address: string
let stage: InProcessStage
let wallet: Wallet

beforeAll(async () => {
  server = createServer((_, response) => {
    fetched++
    response.writeHead(200, { 'content-type': 'application/ld+json' }).end(served)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/degree/v1`
  const digest = createHash('sha256').update(TEXT).digest('hex')
  process.env.TRUSTED_CONTEXTS = JSON.stringify([{ address, digest }])
  stage = await startInProcessStage()
  stage.line.run()
  wallet = await Wallet.start({ answerProofs: false })
})
afterAll(async () => {
  delete process.env.TRUSTED_CONTEXTS
  await wallet.stop()
  await stage.stop()
  server.close()
  server.closeAllConnections()
})

test('a document with another digest is not trusted', async () => {
  served = JSON.stringify({ '@context': { degree: 'https://example.org/honour' } })
  const { status, body } = await stage.call('createRequest', { caller: await createTenant(stage), body: requestBody })
  expect(status).toBe(422)
  expect(JSON.stringify(body)).toContain('digest')
  served = TEXT
})

test('the document is fetched once, and a credential that names it is verified', async () => {
  fetched = 0
  for (const caller of [await createTenant(stage), await createTenant(stage)]) {
    const { walletConnectionId, request } = await connect(stage, wallet, caller, requestBody)
    const path = { tenantId: caller.tenantId, proofRecordId: request.proofRecordId }
    const asked = (await stage.call('tenantProofFormData', { caller, path })).body.request.presentationExchange
    const contexts = { [address]: JSON.parse(TEXT) }
    const subject = { id: wallet.did, degree: 'Bachelor' }
    const credential = await issue(
      wallet,
      { '@context': [CREDENTIALS_V1, address], credentialSubject: subject },
      contexts,
    )
    const more = { presentation_submission: submissionOf(definition) }
    const presentation = await present(wallet, [credential], { challenge: asked.options.challenge, contexts, more })
    const thread = { thid: request.proofRecordThId, pthid: request.invitation['@id'] }
    await sendPresentation(new RawMessages(wallet), walletConnectionId, thread, presentation)
    expect((await stage.call('tenantProofFormData', { caller, path })).body).toMatchObject({ isVerified: true })
  }
  expect(fetched).toBe(1)
})
