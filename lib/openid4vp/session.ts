/** Verification sessions: what is stored of a request until it is answered. */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { verificationSessionRecords } from '../records/openid-kinds.ts'
import { StoredVerificationSession, type VerificationState } from '../records/openid4vp.ts'
import type { RecordJson } from '../records/record-json.ts'
import { requireRecord } from '../store/record-reads.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const { type } = verificationSessionRecords

/** States in which a wallet may read the request and answer it. */
const OPEN: readonly VerificationState[] = ['RequestCreated', 'RequestUriRetrieved']

const parse = (value: unknown): StoredVerificationSession => v.parse(StoredVerificationSession, value)

/** Whether the session is this verifier's and waits for a response. */
export const isOpen = ({ state, verifierId, expiresAt }: StoredVerificationSession, ofVerifier: string): boolean =>
  OPEN.includes(state) && verifierId === ofVerifier && new Date() < new Date(expiresAt)

/** A session of the running unit of work; undefined if there is none. */
export const findSession = async (unit: UnitOfWork, id: string): Promise<StoredVerificationSession | undefined> => {
  const stored = await unit.read(unit.tenant, type, id)
  return stored && parse(stored.value)
}

/** The same. Throws `resource.not_found`. */
export const loadSession = async (unit: UnitOfWork, id: string): Promise<StoredVerificationSession> => {
  const session = await findSession(unit, id)
  if (session === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  return session
}

/** The same without a unit of work. */
export const readSession = async (tenant: string, id: string): Promise<StoredVerificationSession> =>
  parse((await requireRecord(tenant, type, id)).value)

/** Replaces a session; the commit fails if it has changed since this unit has read it. */
export const saveSession = (unit: UnitOfWork, session: StoredVerificationSession): Promise<boolean> =>
  unit.update({ tenant: unit.tenant, type, id: session.id, value: { ...session, metadata: {} }, tags: {} })

export const insertSession = (unit: UnitOfWork, session: StoredVerificationSession): void => {
  unit.insert({ tenant: unit.tenant, type, id: session.id, value: { ...session, metadata: {} }, tags: {} })
}

/** A session as the API shows it. */
export const showSession = (session: StoredVerificationSession): RecordJson =>
  verificationSessionRecords.view({ value: { ...session, metadata: {} }, tags: {} })
