/** The demo's steps between tenants, over HTTP alone: the university issues, a student holds, an employer verifies. */
import { degreeOffer, degreeRequest } from './degree.ts'
import type { Step } from './step.ts'

/** Fields of a record that are shown. */
const SHOWN = ['id', 'state', 'role', 'isVerified']

const newTenant = (label: string, name: string): Step => ({
  title: `A tenant for the ${label.toLowerCase()}`,
  request: 'POST /multi-tenancy/create-tenant',
  token: 'root',
  body: { config: { label } },
  status: 201,
  show: ['id', 'config'],
  note: { [name]: 'id' },
})

/** The student takes an invitation that a step before noted. */
const takes = (invitation: string): Step => ({
  title: 'ReceiveInvitationUrl: the student takes it',
  request: 'POST /oob/receive-invitation-url',
  token: 'student',
  body: { invitationUrl: `{${invitation}}` },
  holds: { connectionRecord: { state: 'request-sent', role: 'requester' } },
  show: [],
})

/** Something waits for the student, who notes its id as `name`. */
const waits = (title: string, list: `/${string}`, state: string, name: string): Step => ({
  title,
  request: `GET ${list}&state=${state}`,
  token: 'student',
  holds: [{ state }],
  eventually: true,
  show: ['0.id', '0.state'],
  note: { [name]: '0.id' },
})

export const TENANT_STEPS: Step[] = [
  newTenant('Student', 'studentId'),
  newTenant('Employer', 'employerId'),
  {
    title: 'CreateInvitation: the university invites the student',
    request: 'POST /oob/create-invitation',
    token: 'tenant',
    show: ['shortInvitationUrl'],
    note: { studentsInvitation: 'invitationUrl', studentsOutOfBandId: 'outOfBandRecord.id' },
  },
  takes('studentsInvitation'),
  {
    title: 'GetConnections: the university is connected',
    request: 'GET /connections?outOfBandId={studentsOutOfBandId}&state=completed',
    token: 'tenant',
    holds: [{ theirLabel: 'Student', state: 'completed' }],
    eventually: true,
    show: ['0.theirLabel', '0.state'],
    note: { studentsConnection: '0.id' },
  },
  {
    title: 'CreateDid: a DID that the degree is issued to',
    request: 'POST /dids/write',
    token: 'student',
    body: { method: 'key' },
    show: ['did'],
    note: { studentDid: 'did' },
  },
  {
    title: 'CreateOffer: the university offers a degree',
    request: 'POST /credentials/create-offer',
    token: 'tenant',
    body: { connectionId: '{studentsConnection}', ...degreeOffer('{studentDid}') },
    holds: { state: 'offer-sent' },
    show: SHOWN,
  },
  waits('GetCredentials: the offer waits for the student', '/credentials?role=holder', 'offer-received', 'offered'),
  {
    title: 'AcceptCredentialOffer: the student asks for it',
    request: 'POST /credentials/accept-offer',
    token: 'student',
    body: { credentialRecordId: '{offered}' },
    holds: { state: 'request-sent' },
    show: SHOWN,
  },
  {
    title: 'GetW3cCredentials: the student holds it',
    request: 'GET /credentials/w3c',
    token: 'student',
    holds: [{ credentialInstances: [{ credential: { credentialSubject: { id: '{studentDid}' } } }] }],
    eventually: true,
    show: ['0.credentialInstances.0.credential.credentialSubject'],
  },
  {
    title: 'CreateRequest: the employer asks whoever takes this for a degree',
    request: 'POST /proofs/create-request-oob',
    token: 'employer',
    body: degreeRequest,
    show: ['shortInvitationUrl', 'proofRecordId'],
    note: { employersRequest: 'invitationUrl', employersProof: 'proofRecordId' },
  },
  takes('employersRequest'),
  waits(
    'GetProofs: when they are connected, the request waits for the student',
    '/proofs?role=prover',
    'request-received',
    'asked',
  ),
  {
    title: 'AcceptProofRequest: the student presents the degree',
    request: 'POST /proofs/{asked}/accept-request',
    token: 'student',
    holds: { state: 'presentation-sent' },
    show: SHOWN,
  },
  {
    title: 'GetProofById: the employer has verified it',
    request: 'GET /proofs/{employersProof}',
    token: 'employer',
    holds: { state: 'done', isVerified: true },
    eventually: true,
    show: SHOWN,
  },
  {
    title: "GetProofById: what is one tenant's is not there for another",
    request: 'GET /proofs/{employersProof}',
    token: 'tenant',
    status: 404,
    holds: { statusCode: 404 },
  },
]
