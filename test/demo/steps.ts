/** The demo, step by step: a university that hands out a degree and has it presented, by a wallet and by another tenant. */
import { waitFor } from '../wallet/wait.ts'
import { ANONCREDS_ENDS, ANONCREDS_STEPS } from './anoncreds-steps.ts'
import { degreeOffer, degreeRequest } from './degree.ts'
import type { Step } from './step.ts'
import { TENANT_STEPS } from './tenant-steps.ts'
import { eventSteps, REGISTRATION_STEPS } from './webhook-steps.ts'

/** Fields of an exchange that are shown. */
const SHOWN = ['id', 'state', 'role', 'isVerified']

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
    title: 'CreateInvitation: what somebody scans who is to get a degree',
    request: 'POST /oob/create-invitation',
    token: 'tenant',
    body: { goal: 'Receive your degree' },
    holds: { outOfBandRecord: { state: 'await-response', role: 'sender' } },
    show: ['invitationUrl', 'shortInvitationUrl'],
    note: { invitationUrl: 'invitationUrl', outOfBandId: 'outOfBandRecord.id' },
  },
  {
    title: 'The wallet scans the invitation and connects',
    wallet: async (wallet, noted) => {
      const { id, state, theirLabel, protocol } = await wallet.connect(noted('invitationUrl'))
      return { connection: { id, state, theirLabel, protocol } }
    },
    note: { walletConnectionId: 'connection.id' },
  },
  {
    title: 'GetConnections: the connection that came of it',
    request: 'GET /connections?outOfBandId={outOfBandId}',
    token: 'tenant',
    holds: [{ state: 'completed', outOfBandId: '{outOfBandId}' }],
    eventually: true,
    show: ['0.id', '0.theirLabel', '0.state'],
    note: { connectionId: '0.id' },
  },
  {
    title: 'SendMessage: a message to the wallet',
    request: 'POST /basic-messages/{connectionId}',
    token: 'tenant',
    body: { content: 'Congratulations! Your degree is on its way.' },
    holds: { role: 'sender', connectionId: '{connectionId}' },
    show: ['id', 'content', 'metadata'],
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
    title: 'GetBasicMessages: the conversation, oldest first, and what became of the message',
    request: 'GET /basic-messages/{connectionId}',
    token: 'tenant',
    holds: [
      {
        role: 'sender',
        content: 'Congratulations! Your degree is on its way.',
        metadata: { '_agent/delivery': { state: 'delivered' } },
      },
      { role: 'receiver', content: 'Thank you!' },
    ],
    eventually: true,
    show: ['0.content', '0.metadata', '1.content'],
  },
  {
    title: 'CreateOffer: a degree, signed by the did:key of the tenant',
    request: 'POST /credentials/create-offer',
    token: 'tenant',
    body: {
      connectionId: '{connectionId}',
      ...degreeOffer('{walletDid}'),
    },
    holds: { state: 'offer-sent', role: 'issuer', connectionId: '{connectionId}' },
    show: SHOWN,
    note: { credentialRecordId: 'id' },
  },
  {
    title: 'GetCredentialById: the wallet has accepted the offer',
    request: 'GET /credentials/{credentialRecordId}',
    token: 'tenant',
    holds: { id: '{credentialRecordId}', state: 'done' },
    eventually: true,
    show: SHOWN,
  },
  {
    title: 'RequestProof: the wallet is asked for a degree',
    request: 'POST /proofs/request-proof',
    token: 'tenant',
    body: { connectionId: '{connectionId}', ...degreeRequest },
    holds: { state: 'request-sent', role: 'verifier' },
    show: SHOWN,
    note: { proofRecordId: 'id' },
  },
  {
    title: 'GetProofById: the presentation, verified',
    request: 'GET /proofs/{proofRecordId}',
    token: 'tenant',
    holds: { state: 'done', isVerified: true, role: 'verifier' },
    eventually: true,
    show: SHOWN,
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
  ...TENANT_STEPS,
  ...(withAnonCreds ? ANONCREDS_STEPS : []),
  ...eventSteps({ ...JSON_LD_ENDS, ...(withAnonCreds ? ANONCREDS_ENDS : {}) }),
  lastStep(withAnonCreds),
]
