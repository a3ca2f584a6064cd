/** Publishes revocations: all pending ones of a registry in one status list. Then the holders are notified. */

import {
  AnonCredsCredentialDefinitionRepository,
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
  AnonCredsRegistryService,
  AnonCredsRevocationRegistryDefinitionRepository,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { registryWriteItem } from '../../../anoncreds/ledger-objects.ts'
import { AgentError, isAgentError } from '../../../errors.ts'
import { legacyId } from '../../../indy/ids.ts'
import type { JobHandler } from '../../../jobs/job.ts'
import { log } from '../../../log.ts'
import { type RevocationState, revocationOf } from '../../../records/credential-json.ts'
import {
  CREDENTIAL,
  pendingIndexes,
  pendingRevocationItem,
  type Revocable,
  revocableOf,
  revocableOfJob,
  withRevocation,
} from '../../../revocation/pending-revocation.ts'
import { registryItem, registryPartition, revokes, waitForWrite } from '../../../revocation/registry.ts'
import type { StoredRecord } from '../../../store/stored-record.ts'
import { epochSeconds } from '../../../store/table.ts'
import { transaction } from '../../../store/transaction.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { withSendErrors } from '../../connections/index.ts'
import { currentAgent } from '../../credo/index.ts'
import { nextPollDelay } from './ledger-polling.ts'

/** Value of a revoked index in a list. */
const REVOKED = 1

/** The registry with a qualified or unqualified id, with its published ids. */
const readRegistry = async (unit: UnitOfWork, context: AgentContext, named: string) => {
  const { tenant } = unit
  const registries = context.resolve(AnonCredsRevocationRegistryDefinitionRepository)
  const { revocationRegistryDefinition } = await registries.getByRevocationRegistryDefinitionId(context, named)
  const { credentialDefinitionId } = await context
    .resolve(AnonCredsCredentialDefinitionRepository)
    .getByCredentialDefinitionId(context, revocationRegistryDefinition.credDefId)
  const all = (await unit.queryAll(registryPartition(tenant, credentialDefinitionId))).map(registryItem.decode)
  const registry = all.find(({ registryId }) => legacyId(registryId) === legacyId(named))
  if (registry === undefined) throw new AgentError('internal', 'the registry is not one of its credential definition')
  const record = await registries.getByRevocationRegistryDefinitionId(context, registry.registryId)
  return {
    item: { ...registry, tenant, credentialDefinitionId },
    revocationRegistryDefinition: record.revocationRegistryDefinition,
  }
}

/**
 * Adds all pending revocations of a registry to its list, in the running unit of work. Of concurrent jobs one commits.
 * 'published': a verifier now sees the index as revoked. A number: ms until the next list can be published, because
 * each list needs a later second than the one before. 'waiting': an operator must write an earlier list to the ledger
 * first. /
 */
const publishList = async (
  unit: UnitOfWork,
  { registryId: named, index }: Revocable,
): Promise<'published' | 'waiting' | number> => {
  const { context } = await currentAgent()
  const { item, revocationRegistryDefinition } = await readRegistry(unit, context, named)
  const { registryId } = item
  const waiting = await unit.load(registryWriteItem, item)
  if (waiting !== undefined && revokes(waiting, index)) return 'waiting'
  const registry = context.resolve(AnonCredsRegistryService).getRegistryForIdentifier(context, registryId)
  // The newest list, whatever its time: a list derived from an older one would lack later revocations.
  const { revocationStatusList: newest } = await registry.getRevocationStatusList(context, registryId, END_OF_TIME)
  if (newest === undefined) throw new AgentError('store.unavailable', 'the status list of the registry cannot be read')
  const now = epochSeconds()
  if (newest.revocationList[index] === REVOKED) return newest.timestamp <= now ? 'published' : msUntil(newest.timestamp)
  if (waiting !== undefined) return 'waiting'
  if (newest.timestamp >= now) return msUntil(newest.timestamp + 1)
  const pending = await pendingIndexes(unit, registryId)
  const revoked = pending.filter((one) => newest.revocationList[one] !== REVOKED)
  const issuerService: AnonCredsIssuerService = context.resolve(AnonCredsIssuerServiceSymbol)
  const revocationStatusList = await issuerService.updateRevocationStatusList(context, {
    revocationStatusList: newest,
    revocationRegistryDefinition,
    revoked,
    timestamp: now,
    // Only needed by the holder's library.
    tailsFilePath: '',
  })
  const { revocationStatusListState, registrationMetadata } = await registry.registerRevocationStatusList(context, {
    revocationStatusList,
    options: {},
  })
  const { state } = revocationStatusListState
  if (state === 'action') await waitForWrite(unit, item, { registryId, transaction: registrationMetadata.transaction })
  else if (state !== 'finished') throw new AgentError('store.unavailable', 'the status list was not published')
  return state === 'finished' ? 'published' : 'waiting'
}

const msUntil = (seconds: number): number => Math.max(1, seconds * 1000 - Date.now())

/** In seconds. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER

/**
 * Aries RFC 0721, with the format that wallets use for all registries.
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0721-revocation-notification-v2
 */
const FORMAT = 'indy-anoncreds'

/** Notifies the holder. Without a connection, endpoint or room in the queue, the holder must read the list. */
const notifyHolder = async ({ id, value }: StoredRecord, { registryId, index }: Revocable): Promise<void> => {
  if (typeof value.connectionId !== 'string') return
  const agent = await currentAgent()
  const connection = await agent.didcomm.connections.findById(value.connectionId)
  if (!connection?.isReady) return
  try {
    await withSendErrors(() =>
      agent.didcomm.credentials.sendRevocationNotification({
        credentialExchangeRecordId: id,
        revocationFormat: FORMAT,
        revocationId: `${registryId}::${index}`,
      }),
    )
  } catch (error) {
    if (!isAgentError(error, 'connection.no_endpoint') && !isAgentError(error, 'connection.queue_full')) throw error
    log('info', 'holder not notified of a revocation', { event: 'revocation.not_told', error: error.code })
  }
}

/** The pending revocation of an exchange, if there is one; without its record, of a deleted exchange. */
const readRevocation = async (
  unit: UnitOfWork,
  jobId: string,
): Promise<{ revocable: Revocable; of?: { record: StoredRecord; state: RevocationState } } | undefined> => {
  const { tenant } = unit
  const deleted = revocableOfJob(jobId)
  if (deleted !== undefined) {
    const pending = await unit.load(pendingRevocationItem, { tenant, ...deleted })
    return pending && { revocable: deleted }
  }
  const record = await unit.read(tenant, CREDENTIAL, jobId)
  const revocable = record && revocableOf(record)
  const state = record && revocationOf(record)
  return record === undefined || revocable === undefined || state?.state !== 'pending'
    ? undefined
    : { revocable, of: { record, state } }
}

const finish = async (unit: UnitOfWork, jobId: string): Promise<void> => {
  const revocation = await readRevocation(unit, jobId)
  if (revocation === undefined) return
  const { revocable, of } = revocation
  if (of !== undefined) {
    await notifyHolder(of.record, revocable)
    await unit.update(withRevocation(of.record, { state: 'published', revokedAt: of.state.revokedAt }))
  }
  unit.delete(pendingRevocationItem.addressOf({ tenant: unit.tenant, ...revocable }))
}

/** The job that publishes the revocation of the exchange with its id, or of a deleted one. */
export const revocationListJob: JobHandler = {
  async run({ tenant, id, createdAt }) {
    const result = await transaction(tenant, async (unit) => {
      const revocation = await readRevocation(unit, id)
      return revocation === undefined ? 'published' : publishList(unit, revocation.revocable)
    })
    if (result !== 'published') return { later: result === 'waiting' ? nextPollDelay(createdAt) : result }
    return { commit: (unit) => finish(unit, id) }
  },

  /** Until the job runs again, the exchange shows the reason. */
  async giveUp(unit, { id }, reason) {
    const { record, state } = (await readRevocation(unit, id))?.of ?? {}
    if (record !== undefined && state !== undefined && state.reason !== reason)
      await unit.update(withRevocation(record, { ...state, reason }))
  },

  /** A revocation must be published, however often the job fails. */
  repeatAfter: 10 * 60 * 1000,
}
