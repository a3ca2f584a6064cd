/** Publishes what is revoked: everything that waits for a registry goes into one status list; then each holder is told. */
import {
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
  AnonCredsRegistryService,
  AnonCredsRevocationRegistryDefinitionRepository,
} from '@credo-ts/anoncreds'
import { AgentError } from '../../errors.ts'
import type { JobHandler } from '../../jobs/handler.ts'
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

/** Revoked in the list, by index. */
const REVOKED = 1

/** Puts all that waits for a registry into its list, in the running unit of work. Several jobs may try: the table lets one commit. */
const publishList = async (unit: UnitOfWork, registryId: string): Promise<void> => {
  const { context } = await currentAgent()
  const pending = await pendingIndexes(unit, registryId)
  const registry = context.resolve(AnonCredsRegistryService).getRegistryForIdentifier(context, registryId)
  const now = Math.floor(Date.now() / 1000)
  // Timestamps of lists rise by a second at least: the newest may be ahead of the clock.
  const { revocationStatusList: newest } = await registry.getRevocationStatusList(context, registryId, now + AHEAD)
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

/** Seconds: more lists than that are not published ahead of the clock. */
const AHEAD = 3_600

/** Aries RFC 0721, with the format that wallets know for all registries. https://github.com/hyperledger/aries-rfcs/tree/main/features/0721-revocation-notification-v2 */
const FORMAT = 'indy-anoncreds'

/** A holder that can't be told sees it in the list: without a connection, or after it has ended. */
const tellHolder = async ({ id, value }: StoredRecord, { registryId, index }: Revocable): Promise<void> => {
  if (typeof value.connectionId !== 'string') return
  const agent = await currentAgent()
  const connection = await agent.didcomm.connections.findById(value.connectionId)
  if (connection === null || !connection.isReady || connection.theirDid === undefined) return
  await agent.didcomm.credentials.sendRevocationNotification({
    credentialExchangeRecordId: id,
    revocationFormat: FORMAT,
    revocationId: `${registryId}::${index}`,
  })
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
