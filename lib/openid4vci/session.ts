/** Issuance sessions: what is stored of an offer, from its creation to the last credential. */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { issuanceSessionRecords } from '../records/openid-kinds.ts'
import { StoredIssuanceSession } from '../records/openid4vci.ts'
import type { RecordJson } from '../records/record-json.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const { type } = issuanceSessionRecords

/** Whether its offer can still be accepted from this issuer: until a token is issued. */
export const isOffered = ({ state, issuerId, expiresAt }: StoredIssuanceSession, ofIssuer: string): boolean =>
  (state === 'OfferCreated' || state === 'OfferUriRetrieved') &&
  issuerId === ofIssuer &&
  new Date() < new Date(expiresAt)

/** A session of the unit's tenant; undefined if there is none. */
export const findSession = async (unit: UnitOfWork, id: string): Promise<StoredIssuanceSession | undefined> => {
  const stored = await unit.read(unit.tenant, type, id)
  return stored && v.parse(StoredIssuanceSession, stored.value)
}

/** The same. Throws `resource.not_found`. */
export const loadSession = async (unit: UnitOfWork, id: string): Promise<StoredIssuanceSession> => {
  const session = await findSession(unit, id)
  if (session === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  return session
}

/** Replaces a session; the commit fails if it has changed since this unit has read it. */
export const saveSession = (unit: UnitOfWork, session: StoredIssuanceSession): Promise<boolean> =>
  unit.update({ tenant: unit.tenant, type, id: session.id, value: { ...session, metadata: {} }, tags: {} })

export const insertSession = (unit: UnitOfWork, session: StoredIssuanceSession): void => {
  unit.insert({ tenant: unit.tenant, type, id: session.id, value: { ...session, metadata: {} }, tags: {} })
}

/** A session as the API shows it. */
export const showSession = (session: StoredIssuanceSession): RecordJson =>
  issuanceSessionRecords.view({ value: { ...session, metadata: {} }, tags: {} })
