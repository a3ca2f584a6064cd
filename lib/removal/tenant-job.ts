/** The job that removes a tenant: its mark says how far it is. */
import { errorName } from '../errors.ts'
import type { Done, Job, JobHandler, Postponed } from '../jobs/job.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { connectionRecords } from '../records/kinds.ts'
import { settings } from '../settings.ts'
import { readItem } from '../store/item.ts'
import { dataKeyAddress } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { hasTenants, type RemovedTenant, removedTenantItem } from '../tenants/tenants.ts'
import { organizationPartition } from '../webhooks/endpoint-item.ts'
import { closePages } from './close-pages.ts'
import { endIssuers, KEPT, signLists } from './keep-public.ts'
import { type Removal, removeOwned, removePage, removePartition } from './remove-owned.ts'
import { RunEnded, startRun } from './run.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** After this time (ms) no further connection is told. */
const HANG_UPS_MS = 10 * MINUTE

/** Processes remember a tenant for a minute, and run for another. */
const SECOND_PASS_MS = 5 * MINUTE

/** Pause after an error. In ms. */
const RETRY_MS = MINUTE

/** Longer than the table's backups: a restored table may have the tenant again. */
const MARK_SECONDS = 40 * 24 * 60 * 60

/** The next step: what changes in the mark, and when it continues (ms). */
interface Step {
  mark: RemovedTenant
  later: number
}

/** A step of a removal, to the end of a phase or of the run. Throws a `RunEnded`, and errors of the store. */
const step = async (mark: RemovedTenant, removal: Removal): Promise<Step> => {
  const { id, keep, phase } = mark
  const last = keep === undefined ? 'connections' : 'status-lists'
  if (phase === 'pages') {
    if (mark.place === undefined) await endIssuers(id, keep === undefined)
    return byPages(mark, removal, mark.silent === true ? last : 'hang-ups', (place) =>
      closePages(id, removal.kept, place),
    )
  }
  if (phase === 'hang-ups') {
    const { tellPage } = await import('./hang-ups.ts')
    return byPages(mark, removal, last, (place) => tellPage(id, place), Date.parse(mark.removedAt) + HANG_UPS_MS)
  }
  if (phase === 'status-lists') return sign(mark, removal)
  const { type } = connectionRecords
  if (phase === 'connections') {
    if (mark.place === undefined) await removePartition({ tenant: id }, dataKeyAddress(id).pk, removal)
    return byPages(mark, removal, 'first', (place) => removePage(id, type, removal, place))
  }
  // Until the second pass, messages that were added to a connection while it was removed are found by its entry.
  const skipped = phase === 'first' ? { skipped: type } : {}
  await removeOwned({ tenant: id, type: 'tenant', id, value: {} }, { ...removal, ...skipped })
  const isLast = mark.orgId !== undefined && mark.orgId !== settings().BASE_ORG_ID && !(await hasTenants(mark.orgId))
  if (phase === 'first') return { mark: { ...mark, phase: 'second', wasLast: isLast }, later: SECOND_PASS_MS }
  if (isLast && mark.wasLast === true) await removeOrganization(String(mark.orgId), removal)
  const expiry = keep === undefined ? { expiresAt: epochSeconds() + MARK_SECONDS } : { keep }
  return { mark: { id, removedAt: mark.removedAt, ...expiry }, later: 0 }
}

/** A phase that goes through a list page by page, until `end` (ms since the epoch). `act` returns the next place. */
const byPages = async (
  mark: RemovedTenant,
  { run }: Removal,
  next: RemovedTenant['phase'],
  act: (place: string | undefined) => Promise<string | undefined>,
  end = Number.POSITIVE_INFINITY,
): Promise<Step> => {
  let { place } = mark
  try {
    do {
      place = await act(place)
      if (place !== undefined) run.checkTime()
    } while (place !== undefined && Date.now() < end)
  } catch (error) {
    if (!(error instanceof RunEnded)) throw error
    return { mark: { ...mark, place }, later: 0 }
  }
  return { mark: { ...mark, phase: next, place: undefined }, later: 0 }
}

/** Signs the status lists as soon as no process changes them any more. */
const sign = async (mark: RemovedTenant, { run }: Removal): Promise<Step> => {
  const later = Date.parse(mark.removedAt) + SECOND_PASS_MS - Date.now()
  if (later > 0) return { mark, later }
  const place = await signLists(mark.id, run, mark.place)
  return { mark: { ...mark, place, phase: place === undefined ? 'connections' : 'status-lists' }, later: 0 }
}

/** Removes the registrations of an organization without tenants, their events, and their data key. */
const removeOrganization = async (orgId: string, removal: Removal): Promise<void> => {
  const tenant = organizationPartition(orgId)
  await removePartition({ tenant }, tenant, removal)
  await removePartition({ tenant }, dataKeyAddress(tenant).pk, removal)
}

const save = (mark: RemovedTenant) => async (unit: UnitOfWork) =>
  unit.replace(removedTenantItem.encode(mark), removedTenantItem.attributes({ removedAt: mark.removedAt }))

/** Tries again later. An operator learns of it after a day without progress. */
const putOff = (mark: RemovedTenant, error: unknown, hasProgress: boolean): Postponed => {
  const { id: tenant, phase, removedAt, progressAt = removedAt } = mark
  const isStuck = !hasProgress && Date.now() - Date.parse(progressAt) > DAY
  const about = { tenant, phase, error: errorName(error) }
  if (isStuck)
    measure(
      'error',
      'removal of a tenant makes no progress',
      { event: 'removal.stuck', ...about },
      { values: { WorkGivenUp: 1 } },
    )
  else log('warn', 'removal of a tenant put off', { event: 'removal.put_off', ...about })
  return { later: RETRY_MS, ...(hasProgress && { commit: save(withProgress(mark)) }) }
}

const withProgress = (mark: RemovedTenant): RemovedTenant => ({ ...mark, progressAt: new Date().toISOString() })

const runRemoval = async ({ tenant }: Job): Promise<Done | Postponed> => {
  const mark = await readItem(removedTenantItem, { id: tenant })
  if (mark?.phase === undefined) return { commit: async () => undefined }
  const kept = mark.keep === undefined ? new Set<string>() : KEPT
  const run = startRun()
  try {
    const { mark: next, later } = await step(mark, { run, shared: true, kept })
    if (next.phase === undefined) return { commit: save(next) }
    return { later, commit: save(withProgress(next)) }
  } catch (error) {
    if (error instanceof RunEnded) return { later: 0, commit: save(withProgress(mark)) }
    return putOff(mark, error, run.removed > 0)
  }
}

export const tenantRemovalJob: JobHandler = {
  run: runRemoval,
  // It is never given up.
  repeatAfter: 60 * MINUTE,
  giveUp: async () => undefined,
}
