/** Messages of present-proof that carry two presentations, or none that was asked for: only what was verified is ever shown. */
import { randomUUID } from 'node:crypto'
import { DidKey } from '@credo-ts/core'
import { expect, test } from 'vitest'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { succeed } from '../support/tenants.ts'
import { askWallet } from '../support/wallets/asked-proof.ts'
import { DEGREE_CONTEXTS, degreeDefinition, HandSigning, keySigner } from '../support/wallets/hand-signed.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const { stage, caller, wallet } = await useTenantAndWallet()

const FORMAT = 'dif/presentation-exchange/submission@v1.0'
const presentationExchange = { presentationDefinition: degreeDefinition, options: { contexts: DEGREE_CONTEXTS } }
const body = { protocolVersion: 'v2', autoAcceptProof: 'always', proofFormats: { presentationExchange } }

const attachment = (data: Json, id = 'a'): Json => ({ '@id': id, 'mime-type': 'application/json', data })
const base64 = (json: Json): string => Buffer.from(JSON.stringify(json)).toString('base64')
const withAttachments = (...attachments: Json[]): Json => ({
  formats: [{ attach_id: 'a', format: FORMAT }],
  'presentations~attach': attachments,
})

/** Sends what `messagesOf` makes of an honest presentation, and of the same with a claim that is not signed. */
const answered = async (messagesOf: (honest: Json, forged: Json) => Json[], asked: object = {}): Promise<Json> => {
  const { request, thread, send, answers } = await askWallet(stage, caller, wallet, { ...body, ...asked })
  const { challenge } = request.presentationExchange.options
  const byHand = new HandSigning(wallet)
  const holder = keySigner()
  const honest = await byHand.presentation(holder, await byHand.credential(keySigner(), holder.did), { challenge })
  const forged = structuredClone(honest)
  forged.verifiableCredential[0].credentialSubject.degree = 'Professor'
  let proof: Json
  for (const message of messagesOf(honest, forged))
    proof = await send({
      '@type': 'https://didcomm.org/present-proof/2.0/presentation',
      '@id': randomUUID(),
      '~thread': thread,
      ...message,
    })
  for (const { status } of answers) expect(status).toBeLessThan(500)
  return proof
}

const ID = randomUUID()

test.each<[string, (honest: Json, forged: Json) => Json[]]>([
  [
    'a second attachment of the format',
    (honest, forged) => [
      {
        ...withAttachments(attachment({ json: honest }), attachment({ json: forged }, 'b')),
        formats: ['a', 'b'].map((id) => ({ attach_id: id, format: FORMAT })),
      },
    ],
  ],
  [
    'a second attachment with the same id',
    (honest, forged) => [withAttachments(attachment({ json: honest }), attachment({ json: forged }))],
  ],
  [
    'other JSON beside base64',
    (honest, forged) => [withAttachments(attachment({ json: forged, base64: base64(honest) }))],
  ],
  [
    'another presentation after it',
    (honest, forged) => [honest, forged].map((json) => withAttachments(attachment({ json }))),
  ],
  [
    'another presentation after it, with the same message id',
    (honest, forged) => [honest, forged].map((json) => ({ ...withAttachments(attachment({ json })), '@id': ID })),
  ],
])('what was verified is what is shown, with %s', async (_, messagesOf) => {
  const proof = await answered(messagesOf)
  expect(proof).toMatchObject({ isVerified: true, state: 'done' })
  const [{ credentialSubject }] = proof.presentation.presentationExchange.verifiableCredential
  expect(credentialSubject.degree).toBe('Bachelor')
  expect(JSON.stringify(proof.presentation)).not.toContain('Professor')
})

test.each<[string, Json[]]>([
  ['no format', []],
  ['the format of a request', [{ attach_id: 'a', format: 'dif/presentation-exchange/definitions@v1.0' }]],
  ['a format that was not asked for', [{ attach_id: 'a', format: 'hlindy/proof@v2.0' }]],
  ['an attachment that is not there', [{ attach_id: 'z', format: FORMAT }]],
])('a message with %s verifies nothing', async (_, formats) => {
  const proof = await answered((_, forged) => [{ ...withAttachments(attachment({ json: forged })), formats }])
  expect(proof.isVerified ?? false).toBe(false)
  expect(proof.state).not.toBe('done')
  expect(JSON.stringify(proof.presentation ?? {})).not.toContain('Professor')
})

test.each([
  ['no JSON', Buffer.from('no JSON').toString('base64')],
  ['no object', Buffer.from('[]').toString('base64')],
])('an attachment that is %s is rejected, and does not wait to be verified', async (_, content) => {
  const { state, isVerified } = await answered(() => [withAttachments(attachment({ base64: content }))])
  expect({ state, isVerified }).toEqual({ state: 'abandoned', isVerified: false })
})

test.each(['never', 'contentApproved'])(
  'a presentation that does not verify cannot be accepted by a call, with autoAcceptProof %s',
  async (autoAcceptProof) => {
    const forgedOnly = (_: Json, forged: Json) => [withAttachments(attachment({ json: forged }))]
    const { id: proofRecordId } = await answered(forgedOnly, { autoAcceptProof })
    const path = { proofRecordId }
    expect(await stage.call('acceptPresentation', { caller, path })).toMatchObject({
      status: 409,
      body: { error: 'Conflict', message: expect.stringContaining('the state of the exchange is abandoned') },
    })
    const { body: proof } = await stage.call('getProofById', { caller, path })
    expect(proof).toMatchObject({ state: 'abandoned', isVerified: false })
  },
)

test('a presentation without a connection is verified if its message has no service', async () => {
  const asked = await succeed(stage, 'createRequest', caller, {
    body: { ...body, autoAcceptProof: 'contentApproved', handshake: false },
  })
  const path = { proofRecordId: asked.proofRecordId }
  const { request } = await succeed(stage, 'getProofFormData', caller, { path })
  const byHand = new HandSigning(wallet)
  const holder = keySigner()
  const json = await byHand.presentation(holder, await byHand.credential(keySigner(), holder.did), {
    challenge: request.presentationExchange.options.challenge,
  })
  const raw = new RawMessages(wallet)
  const [{ serviceEndpoint, recipientKeys }] = asked.invitation.services
  const answer = await raw.send(
    {
      '@type': 'https://didcomm.org/present-proof/2.0/presentation',
      '@id': randomUUID(),
      '~thread': { thid: asked.proofRecordThId, pthid: asked.invitation['@id'] },
      ...withAttachments(attachment({ json })),
    },
    {
      endpoint: serviceEndpoint,
      recipientKeys: recipientKeys.map((key: string) => DidKey.fromDid(key).publicJwk),
      senderKey: await raw.newKey(),
    },
  )
  expect(answer.status).toBe(200)
  const proof = await succeed(stage, 'getProofById', caller, { path })
  expect(proof).toMatchObject({ state: 'presentation-received', isVerified: true })
})
