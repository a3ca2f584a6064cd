/** The demo's steps of AnonCreds: the same university issues a degree that it can revoke, has it presented, and revokes it. */
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { Step } from './step.ts'

const DEFINITION = [{ cred_def_id: '{credentialDefinitionId}' }]

/** Who scans this shows the degree, proves an age without saying it, and that the degree is not revoked by now. */
const requestBody = () => ({
  protocolVersion: 'v2',
  label: 'Example University',
  autoAcceptProof: 'always',
  proofFormats: {
    anoncreds: {
      name: 'A degree, by somebody of age',
      version: '1.0',
      // This second to its end: what was revoked in it counts, too.
      non_revoked: { to: Math.ceil(Date.now() / 1000) },
      requested_attributes: { degree: { name: 'degree', restrictions: DEFINITION } },
      requested_predicates: { age: { name: 'age', p_type: '>=', p_value: 18, restrictions: DEFINITION } },
    },
  },
})

/** The request that came last, and what the wallet made of it. */
const answerTo = async (wallet: Wallet, invitationUrl: string) => {
  const known = new Set((await wallet.proofs()).map(({ id }) => id))
  await wallet.connect(invitationUrl)
  return waitFor('the wallet to have its answer', async () => {
    const proof = (await wallet.proofs()).find(({ id }) => !known.has(id))
    return /^(done|abandoned)$/.test(proof?.state ?? '') && proof
  })
}

export const ANONCREDS_STEPS: Step[] = [
  {
    title: 'AnonCreds: the tenant publishes a schema, under a did:webvh that the agent hosts',
    request: 'POST /anoncreds/schemas',
    token: 'tenant',
    body: { name: 'degree', version: '1.0', attributes: ['degree', 'age'] },
    holds: { state: 'finished' },
    note: { schemaId: 'schemaId' },
  },
  {
    title: 'It asks for a credential definition, whose credentials can be revoked; the keys are made in the background',
    request: 'POST /anoncreds/credential-definitions',
    token: 'tenant',
    body: { schemaId: '{schemaId}', tag: 'degrees', supportRevocation: true, revocationRegistrySize: 100 },
    status: 202,
    holds: { state: 'wait' },
    note: { definitionRecordId: 'id' },
  },
  {
    title: 'Seconds later it is there',
    request: 'GET /anoncreds/credential-definitions/{definitionRecordId}',
    token: 'tenant',
    holds: { state: 'finished', schemaId: '{schemaId}' },
    eventually: true,
    show: ['id', 'state', 'credentialDefinitionId'],
    note: { credentialDefinitionId: 'credentialDefinitionId' },
  },
  {
    title: 'CreateOffer: a degree that can be revoked; a 409 until its revocation registry is there, too',
    request: 'POST /credentials/create-offer',
    token: 'tenant',
    body: {
      connectionId: '{connectionId}',
      protocolVersion: 'v2',
      autoAcceptCredential: 'always',
      credentialFormats: {
        anoncreds: {
          credentialDefinitionId: '{credentialDefinitionId}',
          attributes: [
            { name: 'degree', value: 'Master of Science' },
            { name: 'age', value: '24' },
          ],
        },
      },
    },
    holds: { state: 'offer-sent', connectionId: '{connectionId}' },
    eventually: true,
    note: { revocableId: 'id' },
  },
  {
    title: 'GetCredentialById: the wallet has it, and the record names its schema and definition',
    request: 'GET /credentials/{revocableId}',
    token: 'tenant',
    holds: {
      state: 'done',
      metadata: {
        '_internal/indyCredential': {
          schemaId: '{schemaId}',
          credentialDefinitionId: '{credentialDefinitionId}',
        },
      },
    },
    eventually: true,
    show: ['id', 'state', 'credentialAttributes', 'metadata'],
  },
  {
    title: 'CreateRequest: who scans this shows the degree, and proves an age without saying it',
    request: 'POST /proofs/create-request-oob',
    token: 'tenant',
    body: requestBody,
    note: { validInvitationUrl: 'invitationUrl', validProofId: 'proofRecordId' },
  },
  {
    title: 'The wallet scans it and presents the degree',
    wallet: async (wallet, noted) => {
      const { state } = await answerTo(wallet, noted('validInvitationUrl'))
      return { proof: { state } }
    },
  },
  {
    title: 'tenant_ProofFormData: verified, with what is revealed and what is only proved',
    request: 'GET /multi-tenancy/form-data/{tenantId}/{validProofId}',
    token: 'root',
    holds: {
      state: 'done',
      isVerified: true,
      presentedAttributes: {
        anoncreds: {
          revealed: [{ name: 'degree', value: 'Master of Science' }],
          predicates: [{ name: 'age', p_type: '>=', p_value: 18 }],
        },
      },
    },
    eventually: true,
    show: ['state', 'isVerified', 'presentedAttributes'],
  },
  {
    title: 'The tenant revokes it; the answer comes when this is certain',
    request: 'POST /credentials/{revocableId}/revoke',
    token: 'tenant',
    holds: { id: '{revocableId}', state: 'done' },
  },
  {
    title: 'GetCredentialById: the new status list is published',
    request: 'GET /credentials/{revocableId}',
    token: 'tenant',
    holds: { metadata: { '_agent/revocation': { state: 'published' } } },
    eventually: true,
    show: ['id', 'metadata'],
  },
  {
    title: 'The wallet is told',
    wallet: (wallet) =>
      waitFor('the notification', async () => {
        const revoked = (await wallet.credentialExchanges()).find((exchange) => exchange.revocationNotification)
        return revoked && { revokedAt: revoked.revocationNotification?.revocationDate }
      }),
  },
  {
    title: 'CreateRequest: the same request again',
    request: 'POST /proofs/create-request-oob',
    token: 'tenant',
    body: requestBody,
    note: { revokedInvitationUrl: 'invitationUrl', revokedProofId: 'proofRecordId' },
  },
  {
    title: 'The wallet presents the revoked degree all the same',
    wallet: async (wallet, noted) => {
      const { state, threadId } = await answerTo(wallet, noted('revokedInvitationUrl'))
      return { proof: { state, threadId } }
    },
    note: { refusedThreadId: 'proof.threadId' },
  },
  {
    title: 'tenant_ProofFormData: not verified',
    request: 'GET /multi-tenancy/form-data/{tenantId}/{revokedProofId}',
    token: 'root',
    holds: { state: 'abandoned', isVerified: false },
    eventually: true,
    show: ['state', 'isVerified', 'errorMessage'],
  },
]

/** What the records of these steps end in, by the name that their ids are noted under. */
export const ANONCREDS_ENDS = {
  definitionRecordId: 'finished',
  revocableId: 'done',
  validProofId: 'done',
  revokedProofId: 'abandoned',
}
