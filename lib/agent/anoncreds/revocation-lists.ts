/** Publishes what is revoked: everything that waits for a registry goes into one status list; then each holder is told. */
import {
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
  AnonCredsRegistryService,
  AnonCredsRevocationRegistryDefinitionRepository,
} from '@credo-ts/anoncreds'
import { AgentError, isAgentError } from '../../errors.ts'
import type { JobHandler } from '../../jobs/handler.ts'
import { log } from '../../log.ts'
import {
  CREDENTIAL,
  enqueuePublication,
  pendingIndexes,
  pendingRevocationItem,
  publicationOf,
  type Revocable,
  revocableOf,
  revocationOf,
  withRevocation,
} from '../../revocation/pending-revocation.ts'
import type { StoredRecord } from '../../store/stored-record.ts'
import { transaction } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { currentAgent } from '../agent.ts'
import { send } from '../connections.ts'

/** Revoked in the list, by index. */
const REVOKED = 1

/** Puts all that waits for a registry into its list, in the running unit of work. Several jobs may try: the table lets one commit. */
const publishList = async (unit: UnitOfWork, registryId: string): Promise<void> => {
  const { context } = await currentAgent()
  const pending = await pendingIndexes(unit, registryId)
  const registry = context.resolve(AnonCredsRegistryService).getRegistryForIdentifier(context, registryId)
  const now = Math.floor(Date.now() / 1000)
  // Whatever the clock says: a list that is made of an older one would not have what was revoked since.
  const { revocationStatusList: newest } = await registry.getRevocationStatusList(context, registryId, END_OF_TIME)
  if (newest === undefined) throw new AgentError('store.unavailable', 'the registry has no list that can be read')
  const revoked = pending.filter((index) => newest.revocationList[index] !== REVOKED)
  if (revoked.length === 0) return
  const { revocationRegistryDefinition } = await context
    .resolve(AnonCredsRevocationRegistryDefinitionRepository)
    .getByRevocationRegistryDefinitionId(context, registryId)
  const issuerService: AnonCredsIssuerService = context.resolve(AnonCredsIssuerServiceSymbol)
  const revocationStatusList = await issuerService.updateRevocationStatusList(context, {
    revocationStatusList: newest,
    revocationRegistryDefinition,
    revoked,
    timestamp: Math.max(now, newest.timestamp + 1),
    // Only the holder's library reads the tails.
    tailsFilePath: '',
  })
  const { revocationStatusListState } = await registry.registerRevocationStatusList(context, {
    revocationStatusList,
    options: {},
  })
  if (revocationStatusListState.state !== 'finished')
    throw new AgentError('store.unavailable', 'the status list was not published')
}

/** In seconds. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER

/** Aries RFC 0721, with the format that wallets know for all registries. https://github.com/hyperledger/aries-rfcs/tree/main/features/0721-revocation-notification-v2 */
const FORMAT = 'indy-anoncreds'

/** A holder that can't be told sees it in the list: without a connection, after it has ended, or without an endpoint. */
const tellHolder = async ({ id, value }: StoredRecord, { registryId, index }: Revocable): Promise<void> => {
  if (typeof value.connectionId !== 'string') return
  const agent = await currentAgent()
  const connection = await agent.didcomm.connections.findById(value.connectionId)
  if (connection === null || !connection.isReady || connection.theirDid === undefined) return
  try {
    await send(() =>
      agent.didcomm.credentials.sendRevocationNotification({
        credentialExchangeRecordId: id,
        revocationFormat: FORMAT,
        revocationId: `${registryId}::${index}`,
      }),
    )
  } catch (error) {
    if (!isAgentError(error, 'connection.no_endpoint')) throw error
    log('info', 'a holder without an endpoint was not told of a revocation', { event: 'revocation.not_told' })
  }
}

/** Of the exchange whose credential is revoked. */
const readRevocation = async (unit: UnitOfWork, credentialRecordId: string) => {
  const record = await unit.read(unit.tenant, CREDENTIAL, credentialRecordId)
  const revocable = record && revocableOf(record)
  const state = record && revocationOf(record)
  return record === undefined || revocable === undefined || state?.state !== 'pending'
    ? undefined
    : { record, revocable, state }
}

const finish = async (unit: UnitOfWork, credentialRecordId: string): Promise<void> => {
  const found = await readRevocation(unit, credentialRecordId)
  if (found === undefined) return
  const { record, revocable, state } = found
  await tellHolder(record, revocable)
  await unit.update(withRevocation(record, { ...state, state: 'published' }))
  unit.delete(pendingRevocationItem.addressOf({ tenant: unit.tenant, ...revocable }))
}

export const revocationListJob: JobHandler = {
  async run({ tenant, id }) {
    const { credentialRecordId } = publicationOf(id)
    await transaction(tenant, async (unit) => {
      const found = await readRevocation(unit, credentialRecordId)
      if (found !== undefined) await publishList(unit, found.revocable.registryId)
    })
    return { commit: (unit) => finish(unit, credentialRecordId) }
  },

  /** What was revoked must be published, whatever was in the way: a new job tries it again. */
  async giveUp(unit, { id }) {
    const { credentialRecordId, round } = publicationOf(id)
    enqueuePublication(unit, { credentialRecordId, round: round + 1 }, RETRY_MS)
  },
}

/** Until the next round of attempts, in ms. */
const RETRY_MS = 10 * 60 * 1000
