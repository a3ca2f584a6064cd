/** Suspends, resumes and revokes what was issued in a session: all its revocable credentials, in one transaction. */
import { randomUUID } from 'node:crypto'
import { AgentError } from '../errors.ts'
import { enqueue } from '../jobs/job.ts'
import { statusRevocationRecords } from '../records/openid-kinds.ts'
import type {
  IssuedStatus,
  RevocationFilter,
  StoredIssuanceSession,
  StoredStatusRevocation,
} from '../records/openid4vci.ts'
import { setStatuses } from '../status-list/pieces.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { loadSession, saveSession } from './session.ts'

/** Revocation is final, and only suspended credentials can be resumed. */
const assertTransition = (
  { credentialStatus: before = 'valid' }: StoredIssuanceSession,
  status: IssuedStatus,
): void => {
  if (before === 'revoked' && status !== 'revoked')
    throw new AgentError('status.out_of_turn', 'the credentials of the session are revoked, which is final')
  if (before === 'valid' && status === 'valid')
    throw new AgentError('status.out_of_turn', 'the credentials of the session are not suspended')
}

/**
 * Changes the status of a session's credentials; writes nothing if they already have it. Returns the session, and the
 * number of list pieces that are left for another transaction, which only a revocation may leave. Throws
 * `resource.not_found`, `credential.not_revocable`, `status.out_of_turn`, `store.transaction_too_large`.
 */
export const changeStatus = async (
  unit: UnitOfWork,
  sessionId: string,
  status: IssuedStatus,
): Promise<{ session: StoredIssuanceSession; left: number }> => {
  const session = await loadSession(unit, sessionId)
  const references = (session.issuedCredentials ?? []).flatMap(({ status: places }) => places ?? [])
  if (references.length === 0)
    throw new AgentError('credential.not_revocable', 'the session has issued no revocable credential')
  assertTransition(session, status)
  const left = await setStatuses(unit, references, status)
  if (left > 0 && status !== 'revoked')
    throw new AgentError('store.transaction_too_large', 'the session has credentials in too many pieces of lists')
  const changed = { ...session, credentialStatus: status }
  if (session.credentialStatus !== status) await saveSession(unit, changed)
  return { session: changed, left }
}

/** Begins a revocation of many sessions, in the background. Returns its id. */
export const startRevocation = (unit: UnitOfWork, filter: RevocationFilter): string => {
  const { tenant } = unit
  const id = randomUUID()
  const total = 'sessionIds' in filter ? { total: filter.sessionIds.length } : {}
  const fields = { state: 'pending', done: 0, failed: 0, filter, ...total } as const
  const value: StoredStatusRevocation = { id, createdAt: new Date().toISOString(), metadata: {}, ...fields }
  unit.insert({ tenant, type: statusRevocationRecords.type, id, value, tags: {} })
  enqueue(unit, { tenant, type: 'status-revocation', id })
  return id
}

/** Revokes immediately; a job writes what does not fit into one transaction. The session cannot be resumed meanwhile. */
export const revokeSession = async (unit: UnitOfWork, sessionId: string): Promise<StoredIssuanceSession> => {
  const { session, left } = await changeStatus(unit, sessionId, 'revoked')
  if (left > 0) startRevocation(unit, { sessionIds: [sessionId] })
  return session
}
