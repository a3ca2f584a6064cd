/**
 * Contexts that a stage trusts by its setting: fetched once, by their digest, when a proof is requested, and never when one is verified.
 * And those that the service carries.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ed25519Signature2020 } from '@credo-ts/core'
import { afterAll, describe, expect, test } from 'vitest'
import bbs from '../../lib/agent/formats/json-ld/contexts/bbs-v1.json' with { type: 'json' }
import citizenship from '../../lib/agent/formats/json-ld/contexts/citizenship-v1.json' with { type: 'json' }
import { settings } from '../../lib/settings.ts'
import { connect, createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import {
  askForProof,
  CREDENTIALS_V1,
  issue,
  present,
  sendPresentation,
  submissionOf,
} from '../support/wallets/presentations.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const TEXT = JSON.stringify({ '@context': { degree: 'https://example.org/degree' } })
const definition: Json = {
  id: 'degree',
  input_descriptors: [{ id: 'degree', constraints: { fields: [{ path: ['$.credentialSubject.degree'] }] } }],
}
const requestBody = {
  protocolVersion: 'v2',
  proofFormats: { presentationExchange: { presentationDefinition: definition } },
}

const CONTEXTS = 'proofFormats.presentationExchange.options.contexts'

let served = TEXT
let failing = false
let fetched = 0

const server = createServer((_, response) => {
  fetched++
  response.writeHead(failing ? 500 : 200, { 'content-type': 'application/ld+json' }).end(served)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/degree/v1`
const digest = createHash('sha256').update(TEXT).digest('hex')
process.env.TRUSTED_CONTEXTS = JSON.stringify([{ address, digest }])
const stage = await useStage()
const wallet = await useWallet({ answerProofs: false })
afterAll(async () => {
  delete process.env.TRUSTED_CONTEXTS
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

test.each<[string, string, boolean]>([
  ['whose host has an error', TEXT, true],
  ['that is not there', '', false],
])('a context %s is named, and can be given with the request', async (_, text, hasError) => {
  const caller = await createTenant(stage)
  ;[served, failing] = [text, hasError]
  const { status, body } = await stage.call('createRequest', { caller, body: requestBody })
  expect({ status, details: body.details }).toEqual({
    status: 422,
    details: [{ path: CONTEXTS, message: expect.stringContaining(address) }],
  })
  const proofFormats = {
    presentationExchange: {
      presentationDefinition: definition,
      options: { contexts: { [address]: JSON.parse(TEXT) } },
    },
  }
  expect(await stage.call('createRequest', { caller, body: { ...requestBody, proofFormats } })).toMatchObject({
    status: 200,
  })
  ;[served, failing] = [TEXT, false]
})

test("a document that is not JSON is named, because the operator's setting is wrong", async () => {
  const [caller, { TRUSTED_CONTEXTS }] = [await createTenant(stage), settings()]
  served = '<html>'
  const of = { address: `${address}/page`, digest: createHash('sha256').update(served).digest('hex') }
  Object.assign(settings(), { TRUSTED_CONTEXTS: [of] })
  const { status, body } = await stage.call('createRequest', { caller, body: requestBody })
  Object.assign(settings(), { TRUSTED_CONTEXTS })
  served = TEXT
  expect({ status, details: body.details }).toEqual({
    status: 422,
    details: [{ path: CONTEXTS, message: expect.stringMatching(/not JSON and cannot be read: .*\/degree\/v1\/page/) }],
  })
})

test('the document is fetched once, and a credential that names it is verified', async () => {
  fetched = 0
  const [descriptor] = definition.input_descriptors
  const named = { ...definition, input_descriptors: [{ ...descriptor, schema: [{ uri: address }] }] }
  const body = { ...requestBody, proofFormats: { presentationExchange: { presentationDefinition: named } } }
  for (const caller of [await createTenant(stage), await createTenant(stage)]) {
    const { walletConnectionId, request } = await connect(stage, wallet, caller, body)
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

describe("a context of the community's that the service carries", () => {
  const CITIZENSHIP = 'https://w3id.org/citizenship/v1'
  const BBS = 'https://w3id.org/security/bbs/v1'
  const contexts: Json = { [CITIZENSHIP]: citizenship, [BBS]: bbs }

  const definitionOf = (...uris: string[]): Json => ({
    id: 'resident',
    input_descriptors: [
      {
        id: 'resident',
        schema: uris.map((uri) => ({ uri })),
        constraints: {
          fields: [{ path: ['$.credentialSubject.familyName'], filter: { type: 'string', const: 'SMITH' } }],
        },
      },
    ],
  })

  /** The outcome for a resident's credential, as in the OWF agent test harness. */
  const presented = async (
    presentationDefinition: Json,
    options: Json = {},
    [bbsContext, citizenshipContext]: unknown[] = [BBS, CITIZENSHIP],
  ): Promise<Json> => {
    const asked = await askForProof(stage, await createTenant(stage), wallet, { presentationDefinition, options })
    const credential = await issue(
      wallet,
      {
        '@context': [CREDENTIALS_V1, bbsContext, citizenshipContext],
        type: ['VerifiableCredential', 'PermanentResident'],
        credentialSubject: { id: wallet.did, type: ['PermanentResident'], familyName: 'SMITH', gender: 'Female' },
      },
      contexts,
    )
    const more = { presentation_submission: submissionOf(presentationDefinition) }
    const { challenge } = asked
    return asked.answer(await present(wallet, [credential], { challenge, contexts, more }))
  }

  test.each([
    ['its address', CITIZENSHIP],
    ['a type that it defines', 'https://w3id.org/citizenship#PermanentResident'],
  ])('is read where the definition names %s, in each request', async (_, uri) => {
    for (const _ of [1, 2]) {
      const proof = await presented(definitionOf('https://www.w3.org/2018/credentials#VerifiableCredential', uri))
      expect(proof).toMatchObject({ isVerified: true })
      const [credential] = proof.presentation.presentationExchange.verifiableCredential
      expect(credential.credentialSubject).toMatchObject({ familyName: 'SMITH', gender: 'Female' })
    }
  })

  test.each([
    ['its address', CITIZENSHIP],
    ['a type that it defines', 'https://w3id.org/citizenship#PermanentResident'],
  ])('counts as its address where a credential has it in full, and the definition names %s', async (_, uri) => {
    for (const options of [{}, { contexts: { [CITIZENSHIP]: citizenship } }])
      expect(await presented(definitionOf(uri), options, [bbs['@context'], citizenship['@context']])).toMatchObject({
        isVerified: true,
      })
  })

  test('does not apply to a request that does not name it', async () => {
    expect(await presented(definitionOf('https://www.w3.org/2018/credentials#VerifiableCredential'))).toMatchObject({
      isVerified: false,
      errorMessage: expect.stringContaining('resident'),
    })
  })

  test("gives way to the verifier's own definitions of its terms", async () => {
    const own = { 'https://contexts.example/v1': { '@context': { PermanentResident: 'https://example.org/Other' } } }
    const type = definitionOf('https://w3id.org/citizenship#PermanentResident')
    expect(await presented(type, { contexts: own })).toMatchObject({ isVerified: false })
    const theirs = { [CITIZENSHIP]: { '@context': { familyName: 'http://schema.org/familyName' } } }
    expect(await presented(type, { contexts: theirs })).toMatchObject({ isVerified: false })
  })
})

test('a context that the service carries is accepted unchanged, and not with other content', async () => {
  const { CONTEXT, CONTEXT_URL } = Ed25519Signature2020
  const caller = await createTenant(stage)
  const request = (document: object) => {
    const options = { contexts: { [CONTEXT_URL]: document } }
    const presentationExchange = { presentationDefinition: definition, options }
    return stage.call('createRequest', { caller, body: { ...requestBody, proofFormats: { presentationExchange } } })
  }
  expect(await request(CONTEXT)).toMatchObject({ status: 200 })
  expect(await request({ '@context': {} })).toMatchObject({
    status: 422,
    body: { details: [{ path: `${CONTEXTS}.${CONTEXT_URL}`, message: expect.stringContaining('not the document') }] },
  })
})

test('a request is checked by the documents that it has, whatever documents earlier requests had at the same addresses', async () => {
  const caller = await createTenant(stage)
  const [own, other] = ['https://contexts.example/own/v1', 'https://contexts.example/other/v1']
  const request = async (meaning: string): Promise<number> => {
    const contexts = {
      [own]: { '@context': { degree: 'https://example.org/degree' } },
      [other]: { '@context': { degree: meaning } },
    }
    const presentationExchange = { presentationDefinition: definition, options: { contexts } }
    const body = { protocolVersion: 'v2', proofFormats: { presentationExchange } }
    return (await stage.call('createRequest', { caller, body })).status
  }
  const [same, conflicting] = ['https://example.org/degree', 'https://example.org/other']
  expect([await request(same), await request(conflicting), await request(same), await request(conflicting)]).toEqual([
    200, 422, 200, 422,
  ])
})
