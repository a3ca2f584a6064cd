/** Credentials that are almost too large to be verified: a verifier reads it alone and within its presentation. */
import { expect, test } from 'vitest'
import { createTenant } from '../support/scenes.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { DEGREE_CONTEXTS, degreeDefinition, HandSigning, keySigner } from '../support/wallets/hand-signed.ts'
import { askForProof, CREDENTIALS_V1 } from '../support/wallets/presentations.ts'

const { stage, caller, wallet } = await useTenantAndWallet()
const signing = new HandSigning(wallet)
const issuer = await createTenant(stage)
const issuerKey = keySigner()

const [DEGREES = ''] = Object.keys(DEGREE_CONTEXTS)

/** Each node is two statements. */
const credentialOf = (subject: string, nodes: number) => ({
  '@context': [CREDENTIALS_V1, DEGREE_CONTEXTS[DEGREES]['@context']],
  type: ['VerifiableCredential'],
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: {
    id: subject,
    degree: Array.from({ length: nodes }, (_, one) => ({ '@id': `urn:example:${one}`, degree: String(one) })),
  },
})

/** With one claim of so many characters. */
const longCredentialOf = (subject: string, length: number) => ({
  ...credentialOf(subject, 0),
  credentialSubject: { id: subject, degree: 'x'.repeat(length) },
})

test.each([
  { of: 'statements', make: credentialOf, range: [1_200, 1_264], says: 'too many statements' },
  { of: 'bytes', make: longCredentialOf, range: [139_000, 140_000], says: 'bytes' },
] as const)('the largest credential that is offered is verified: of the most $of', async ({ make, range, says }) => {
  const holder = keySigner()
  const isOffered = async (size: number): Promise<boolean> => {
    const credential = make(holder.did, size)
    const credentialFormats = { jsonld: { credential, options: { proofType: 'Ed25519Signature2018' } } }
    const { status, body } = await stage.call('createOfferOob', {
      caller: issuer,
      body: { protocolVersion: 'v2', credentialFormats },
    })
    if (status !== 200)
      expect({ status, details: JSON.stringify(body.details) }).toMatchObject({
        status: 422,
        details: expect.stringContaining(says),
      })
    return status === 200
  }
  let [offered, refused]: [number, number] = [...range]
  expect([await isOffered(offered), await isOffered(refused)]).toEqual([true, false])
  while (refused - offered > 1) {
    const middle = Math.floor((offered + refused) / 2)
    if (await isOffered(middle)) offered = middle
    else refused = middle
  }

  const asked = await askForProof(stage, caller, wallet, {
    presentationDefinition: degreeDefinition,
    options: { contexts: DEGREE_CONTEXTS },
  })
  const document = { ...make(holder.did, offered), issuer: issuerKey.did }
  const credential = await signing.signed(document, issuerKey, { proofPurpose: 'assertionMethod' })
  const { challenge } = asked
  expect(await asked.answer(await signing.presentation(holder, credential, { challenge }))).toMatchObject({
    isVerified: true,
  })
})
