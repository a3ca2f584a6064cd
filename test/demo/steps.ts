/** The demo, step by step: a university that asks for a degree, hands one out, and has it presented. */
import { waitFor } from '../wallet/wait.ts'
import { ANONCREDS_ENDS, ANONCREDS_STEPS } from './anoncreds-steps.ts'
import type { Step } from './step.ts'
import { eventSteps, REGISTRATION_STEPS } from './webhook-steps.ts'

const degreeContext = {
  degree: 'https://example.org/vocabulary#degree',
  DegreeCredential: 'https://example.org/vocabulary#DegreeCredential',
}

const JSON_LD_STEPS: Step[] = [
  {
    title: 'A tenant is created, with an organization that its events go to',
    request: 'POST /multi-tenancy/create-tenant',
    token: 'root',
    body: { config: { label: 'Example University' }, orgId: 'university' },
    status: 201,
    holds: { config: { label: 'Example University' }, orgId: 'university' },
    note: { tenantId: 'id', orgId: 'orgId' },
  },
  {
    title: 'Without a token, nothing is told',
    request: 'GET /credentials/any',
    status: 401,
    holds: { statusCode: 401, error: 'Unauthorized' },
  },
  ...REGISTRATION_STEPS,
  {
    title: 'CreateRequest: who scans this is asked for a degree',
    request: 'POST /proofs/create-request-oob',
    token: 'tenant',
    body: {
      protocolVersion: 'v2',
      label: 'Example University',
      comment: 'Show us your degree',
      autoAcceptProof: 'always',
      proofFormats: {
        presentationExchange: {
          presentationDefinition: {
            id: '43250004-a172-43ff-90c6-7004b856b85e',
            name: 'A degree',
            input_descriptors: [
              {
                id: 'degree',
                schema: [
                  { uri: 'https://www.w3.org/2018/credentials/v1' },
                  { uri: 'https://www.w3.org/2018/credentials#VerifiableCredential' },
                ],
                constraints: { fields: [{ path: ['$.credentialSubject.degree'], filter: { type: 'string' } }] },
              },
            ],
          },
          options: { contexts: { 'https://example.org/vocabulary/v1': { '@context': degreeContext } } },
        },
      },
    },
    holds: { outOfBandRecord: { state: 'await-response', role: 'sender' } },
    note: { invitationUrl: 'invitationUrl', outOfBandId: 'outOfBandRecord.id', proofRecordId: 'proofRecordId' },
  },
  {
    title: 'The wallet scans the invitation and connects; it keeps the request, since it holds no degree yet',
    wallet: async (wallet, noted) => {
      const { id, state, theirLabel, protocol } = await wallet.connect(noted('invitationUrl'))
      const request = await waitFor('the proof request', async () => (await wallet.proofs())[0])
      return { connection: { id, state, theirLabel, protocol }, proof: { state: request.state } }
    },
    note: { walletConnectionId: 'connection.id' },
  },
  {
    title: 'GetConnections: the connection that came of it',
    request: 'GET /connections?outOfBandId={outOfBandId}',
    token: 'tenant',
    holds: [{ state: 'completed', outOfBandId: '{outOfBandId}' }],
    eventually: true,
    note: { connectionId: '0.id' },
  },
  {
    title: 'SendMessage: a message to the wallet',
    request: 'POST /basic-messages/{connectionId}',
    token: 'tenant',
    body: { content: 'Congratulations! Your degree is on its way.' },
    holds: { role: 'sender', connectionId: '{connectionId}' },
  },
  {
    title: 'The wallet reads it and answers',
    wallet: async (wallet, noted) => {
      const [message] = await waitFor('the message', async () => {
        const messages = await wallet.messages(noted('walletConnectionId'))
        return messages.length > 0 && messages
      })
      const answer = await wallet.sendMessage(noted('walletConnectionId'), 'Thank you!')
      return { received: message?.content, sent: answer.content }
    },
  },
  {
    title: 'tenant_GetBasicMessages: the conversation, oldest first',
    request: 'GET /multi-tenancy/basic-messages/{connectionId}/{tenantId}',
    token: 'root',
    holds: [
      { role: 'sender', content: 'Congratulations! Your degree is on its way.' },
      { role: 'receiver', content: 'Thank you!' },
    ],
    eventually: true,
  },
  {
    title: 'CreateOffer: a degree, signed by the did:key of the tenant',
    request: 'POST /credentials/create-offer',
    token: 'tenant',
    body: {
      connectionId: '{connectionId}',
      protocolVersion: 'v2',
      autoAcceptCredential: 'always',
      credentialFormats: {
        jsonld: {
          credential: {
            '@context': ['https://www.w3.org/2018/credentials/v1', degreeContext],
            type: ['VerifiableCredential', 'DegreeCredential'],
            issuanceDate: '2026-01-01T00:00:00Z',
            credentialSubject: { id: '{walletDid}', degree: 'Bachelor of Science' },
          },
          options: { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' },
        },
      },
    },
    holds: { state: 'offer-sent', role: 'issuer', connectionId: '{connectionId}' },
    note: { credentialRecordId: 'id' },
  },
  {
    title: 'GetCredentialById: the wallet has accepted the offer',
    request: 'GET /credentials/{credentialRecordId}',
    token: 'tenant',
    holds: { id: '{credentialRecordId}', state: 'done' },
    eventually: true,
  },
  {
    title: 'The wallet holds the degree, and answers the request that it kept',
    wallet: async (wallet) => {
      const [held] = await wallet.credentials()
      const done = await waitFor('the proof to be done', async () =>
        (await wallet.proofs()).find(({ state }) => state === 'done'),
      )
      return { credential: held?.firstCredential.credentialSubject, proof: { state: done.state } }
    },
  },
  {
    title: 'tenant_ProofFormData: the presentation, verified',
    request: 'GET /multi-tenancy/form-data/{tenantId}/{proofRecordId}',
    token: 'root',
    holds: { id: '{proofRecordId}', state: 'done', isVerified: true, role: 'verifier' },
    eventually: true,
  },
]

const JSON_LD_ENDS = { connectionId: 'completed', credentialRecordId: 'done', proofRecordId: 'done' }

/** What was refused is in the journal: a presentation of something revoked. */
const lastStep = (withAnonCreds: boolean): Step => ({
  title: 'The wallet met no error',
  wallet: async ({ journal: { errors, problems } }, noted) => {
    const refused = withAnonCreds ? noted('refusedThreadId') : undefined
    const unexpected = problems.filter(({ threadId }) => threadId !== refused)
    if (errors.length + unexpected.length > 0)
      throw new Error(JSON.stringify([...errors.map(({ what, error }) => `${what}: ${error}`), ...unexpected]))
    return { errors: errors.length, problemReports: unexpected.length }
  },
})

/** The whole story, with AnonCreds or without. */
export const stepsOf = (withAnonCreds: boolean): Step[] => [
  ...JSON_LD_STEPS,
  ...(withAnonCreds ? ANONCREDS_STEPS : []),
  ...eventSteps({ ...JSON_LD_ENDS, ...(withAnonCreds ? ANONCREDS_ENDS : {}) }),
  lastStep(withAnonCreds),
]
