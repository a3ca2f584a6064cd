/** Finds the request of a page's address, and its state. */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { DcqlQuery } from '../interface/dcql.ts'
import type { PageState } from '../interface/openid4vp-page.ts'
import { verificationSessionRecords } from '../records/openid-kinds.ts'
import { StoredVerificationSession, type VerificationState } from '../records/openid4vp.ts'
import { shownSession } from '../records/shown-session.ts'
import { requireRecord } from '../store/record-reads.ts'
import type { ShownRequest } from './presentation-page.ts'

const STATES: Record<VerificationState, PageState> = {
  RequestCreated: 'open',
  RequestUriRetrieved: 'open',
  ResponseReceived: 'answered',
  ResponseVerified: 'verified',
  Error: 'ended',
}

/** What is shown of a session; undefined where it is another verifier's, or was not answered in time. */
const shownRequestOf = (value: unknown, verifierId: string, now: Date): ShownRequest | undefined => {
  const session = v.parse(StoredVerificationSession, value)
  const { state } = v.parse(v.pick(StoredVerificationSession, ['state']), shownSession(session, now))
  const hasExpired = STATES[state] === 'open' && session.expiresAt <= now.toISOString()
  if (session.verifierId !== verifierId || hasExpired) return undefined
  const { client_metadata, dcql_query } = session.payload
  return {
    state: STATES[state],
    link: session.authorizationRequest,
    verifier: client_metadata.client_name,
    query: v.parse(DcqlQuery, dcql_query),
    leadsBack: session.redirectUri !== undefined,
    hasTransaction: session.transactionData !== undefined,
  }
}

/** The request of a tenant's verifier. An unknown or expired request, and another verifier's, are the same `resource.not_found`. */
export const requirePresentationRequest = async (
  tenant: string,
  { verifierId, verificationSessionId }: { verifierId: string; verificationSessionId: string },
): Promise<ShownRequest> => {
  const { value } = await requireRecord(tenant, verificationSessionRecords.type, verificationSessionId)
  const request = shownRequestOf(value, verifierId, new Date())
  // The same message as for an unknown record.
  if (request === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  return request
}
