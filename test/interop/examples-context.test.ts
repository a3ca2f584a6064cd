/** The context of the examples of the Verifiable Credentials Data Model, which many demonstrations use: the service carries it. */
import examples from '@digitalbazaar/credentials-examples-context/dist/context.js'
import { expect, test } from 'vitest'
import { connect, createTenant, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { askForProof, CREDENTIALS_V1, issue, present, submissionOf } from '../support/wallets/presentations.ts'

const { CONTEXT_URL_V1: EXAMPLES, CONTEXT_V1: document } = examples

const stage = await useStage({ delivers: false })
const wallet = await useWallet()
stage.line.run()

const DEGREE = {
  '@context': [CREDENTIALS_V1, EXAMPLES],
  type: ['VerifiableCredential', 'UniversityDegreeCredential'],
}
const degree = { type: 'BachelorDegree', name: 'Bachelor of Science and Arts' }

test('is signed with, without the internet', async () => {
  const caller = await createTenant(stage)
  const { connectionId } = await connect(stage, wallet, caller)
  const { credentialFormats, ...offer } = offerBody(connectionId, wallet.did)
  const { credential, options } = credentialFormats.jsonld
  const credentialSubject = { id: wallet.did, degree }
  const jsonld = { credential: { ...credential, ...DEGREE, credentialSubject }, options }
  const body = { ...offer, credentialFormats: { jsonld } }
  expect(await stage.call('createOffer', { caller, body })).toMatchObject({ status: 200 })
})

test.each([EXAMPLES, 'https://example.org/examples#UniversityDegreeCredential'])(
  'is read by a verifier that names %s',
  async (uri) => {
    const presentationDefinition: Json = {
      id: 'degree',
      input_descriptors: [
        {
          id: 'degree',
          schema: [{ uri }],
          constraints: { fields: [{ path: ['$.credentialSubject.degree.name'], filter: { type: 'string' } }] },
        },
      ],
    }
    const asked = await askForProof(stage, await createTenant(stage), wallet, { presentationDefinition })
    const contexts: Json = { [EXAMPLES]: document }
    const credential = await issue(wallet, { ...DEGREE, credentialSubject: { id: wallet.did, degree } }, contexts)
    const more = { presentation_submission: submissionOf(presentationDefinition) }
    const { challenge } = asked
    const proof = await asked.answer(await present(wallet, [credential], { challenge, contexts, more }))
    expect(proof).toMatchObject({ isVerified: true })
    expect(proof.presentation.presentationExchange.verifiableCredential[0].credentialSubject).toMatchObject({
      degree,
    })
  },
)
