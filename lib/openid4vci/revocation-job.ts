/** The job of a revocation of many sessions: each in a separate transaction, so that an interrupted job can continue. */
import * as v from 'valibot'
import { errorName, isAgentError } from '../errors.ts'
import type { Job, JobHandler } from '../jobs/job.ts'
import { log } from '../log.ts'
import { issuanceSessionRecords, statusRevocationRecords } from '../records/openid-kinds.ts'
import { type RevocationFilter, StoredIssuanceSession, StoredStatusRevocation } from '../records/openid4vci.ts'
import { isRetryable } from '../store/aws-errors.ts'
import { allRecordsPartition } from '../store/index-entries.ts'
import { encodeCursor } from '../store/item-list.ts'
import { listIndexed, requireRecord } from '../store/record-reads.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { changeStatus } from './status.ts'

/** Limits of one run, well below the timeout of the function (60 s): ms, and steps (sessions, or pages without one). */
const MAX_MS = 20_000
const MAX_STEPS = 200
/** One less than the largest page that is read at once, because a list reads one more entry. */
const PAGE = 99

const { type } = statusRevocationRecords

type IssuerFilter = Extract<RevocationFilter, { publicIssuerId: string }>
type Place = StoredStatusRevocation['place']

/** Whether a session has a revocable credential that matches the filter. */
const matchesFilter = (value: unknown, filter: IssuerFilter): boolean => {
  const { publicIssuerId, credentialConfigurationId, issuedBefore, issuedAfter } = filter
  const { issuerId, issuedCredentials = [] } = v.parse(StoredIssuanceSession, value)
  const isIssuedThen = (at: number) =>
    (issuedBefore === undefined || at < Date.parse(issuedBefore)) &&
    (issuedAfter === undefined || at > Date.parse(issuedAfter))
  return (
    issuerId === publicIssuerId &&
    issuedCredentials.some(
      ({ status, credentialConfigurationId: id, issuedAt }) =>
        status !== undefined && (credentialConfigurationId ?? id) === id && isIssuedThen(Date.parse(issuedAt)),
    )
  )
}

/** The sessions from a place on, the newest first, each with the place after it; a page may have none. */
async function* sessionsFrom(
  tenant: string,
  { filter, place }: StoredStatusRevocation,
): AsyncGenerator<{ id?: string; place: Place }> {
  if ('sessionIds' in filter) {
    for (let index = Number(place ?? 0); index < filter.sessionIds.length; index++)
      yield { id: String(filter.sessionIds[index]), place: index + 1 }
    return
  }
  let cursor = place === undefined ? undefined : String(place)
  do {
    const page = await listIndexed(
      allRecordsPartition(tenant, issuanceSessionRecords.type),
      { limit: PAGE, order: 'desc', cursor },
      ({ value }) => matchesFilter(value, filter),
    )
    for (const { value } of page.entries)
      yield { id: String(value.id), place: encodeCursor(`${value.createdAt}#${value.id}`) }
    cursor = page.next
    if (cursor !== undefined) yield { place: cursor }
  } while (cursor !== undefined)
}

/** Revokes the credentials of a session; false if that is not possible. A session that is already revoked is a success. */
const revoke = async (tenant: string, sessionId: string): Promise<boolean> => {
  try {
    const revokePart = () => transaction(tenant, (unit) => changeStatus(unit, sessionId, 'revoked'))
    while ((await revokePart()).left > 0);
    return true
  } catch (error) {
    if (isRetryable(error)) throw error
    if (!isAgentError(error, 'resource.not_found') && !isAgentError(error, 'credential.not_revocable'))
      log('error', 'revocation of a session failed', {
        event: 'status.not_revoked',
        ...{ tenant, sessionId, error: errorName(error) },
      })
    return false
  }
}

const save = (id: string, change: Partial<StoredStatusRevocation>) => async (unit: UnitOfWork) => {
  const stored = await unit.read(unit.tenant, type, id)
  if (stored !== undefined) await unit.update({ ...stored, value: { ...stored.value, ...change } })
}

const runRevocation: JobHandler['run'] = async ({ tenant, id }: Job) => {
  const { value } = await requireRecord(tenant, type, id)
  const revocation = v.parse(StoredStatusRevocation, value)
  const end = Date.now() + MAX_MS
  let { done, failed } = revocation
  let steps = 0
  for await (const { id: sessionId, place } of sessionsFrom(tenant, revocation)) {
    if (sessionId !== undefined) (await revoke(tenant, sessionId)) ? done++ : failed++
    if (++steps >= MAX_STEPS || Date.now() >= end) return { later: 0, commit: save(id, { done, failed, place }) }
  }
  return { commit: save(id, { state: 'done', done, failed, total: done + failed }) }
}

export const statusRevocationJob: JobHandler = {
  run: runRevocation,
  // A revocation is retried until it succeeds.
  repeatAfter: 60 * 60_000,
  giveUp: async () => undefined,
}
