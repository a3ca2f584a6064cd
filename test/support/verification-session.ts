/** Verification sessions as they lie in the table, made by hand. */
import type { StoredVerificationSession } from '../../lib/records/openid4vp.ts'
import { BASE_AGENT } from '../../lib/records/tenant.ts'
import { toRecordItem } from '../../lib/store/stored-record.ts'

const TYPE = 'OpenId4VcVerificationSessionRecord'

export const QUERY = {
  credentials: [
    {
      id: 'identity',
      format: 'dc+sd-jwt' as const,
      meta: { vct_values: ['https://credentials.example/identity'] },
      claims: [{ path: ['given_name'] }, { path: ['address', 'streetAddress'] }, { path: ['nationalities', null] }],
    },
  ],
}

const LINK = 'openid4vp://?client_id=x509_hash%3Aabc&request_uri=https%3A%2F%2Fagent.example%2Foid4vp%2Fshop'

/** An open session of the verifier `shop`, whose name is Acme. */
export const newSession = ({
  payload,
  ...more
}: Partial<StoredVerificationSession> = {}): StoredVerificationSession => ({
  id: 'session-1',
  createdAt: new Date().toISOString(),
  verifierId: 'shop',
  state: 'RequestCreated',
  authorizationRequest: LINK,
  authorizationRequestUri: 'https://agent.example/oid4vp/shop/authorization-requests/session-1',
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
  certificateId: 'certificate-1',
  resultTtl: 60,
  ...more,
  payload: {
    client_id: 'x509_hash:abc',
    nonce: 'nonce',
    state: 'state',
    response_mode: 'direct_post.jwt',
    client_metadata: { client_name: 'Acme' },
    dcql_query: QUERY,
    ...payload,
  },
})

/** The item of a session of the base agent. */
export const sessionItem = (session: StoredVerificationSession) =>
  toRecordItem({ tenant: BASE_AGENT, type: TYPE, id: session.id, version: 1, value: session, tags: {} })
