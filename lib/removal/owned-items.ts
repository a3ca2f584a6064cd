/** The items that belong to tenants and their records, by their descriptions. */
import { issuerDidItem } from '../agent/dids/issuer-did-item.ts'
import { definitionKeyItem, slotItem } from '../agent/formats/anoncreds/definition-items.ts'
import { contextItem } from '../agent/formats/json-ld/context-item.ts'
import { ledgerObjectItem, registryWriteItem } from '../anoncreds/ledger-objects.ts'
import { jobItem } from '../jobs/job.ts'
import { keyItem } from '../keys/key-item.ts'
import { claimsItem } from '../openid4vci/claims-item.ts'
import { resultItem } from '../openid4vp/result.ts'
import { laneItem } from '../outbox/lanes/index.ts'
import { outboxItem, outcomeItem } from '../outbox/messages/index.ts'
import { listedQueue, pickupMessage, queueItem, usageItem } from '../pickup/pickup-item.ts'
import { pendingRevocationItem } from '../revocation/pending-revocation.ts'
import { registryItem } from '../revocation/registry.ts'
import { tailsPieceItem } from '../revocation/tails-file.ts'
import { markItem } from '../status-list/indexes.ts'
import { headItem } from '../status-list/lists.ts'
import { pieceItem } from '../status-list/pieces.ts'
import { signedListItem } from '../status-list/signed-list.ts'
import { dataKeyItem } from '../store/data-keys.ts'
import type { BelongsTo, Image } from '../store/item.ts'
import { decodeRegistration, endpointItem } from '../webhooks/endpoint-item.ts'
import { attemptItem, eventItem } from '../webhooks/event-item.ts'
import { logItem, resourceItem } from '../webvh/published.ts'
import { documentItem } from '../webvh/web-document.ts'

interface OwnedItem {
  kind: string
  belongsTo: BelongsTo
  decode(item: Image): object
}

/** The data key is first: without it nothing sealed can be read. */
export const OWNED_ITEMS: readonly OwnedItem[] = [
  dataKeyItem,
  keyItem,
  issuerDidItem,
  slotItem,
  definitionKeyItem,
  contextItem,
  ledgerObjectItem,
  registryWriteItem,
  jobItem,
  claimsItem,
  resultItem,
  laneItem,
  outboxItem,
  outcomeItem,
  listedQueue,
  pickupMessage,
  queueItem,
  usageItem,
  pendingRevocationItem,
  registryItem,
  tailsPieceItem,
  markItem,
  headItem,
  pieceItem,
  signedListItem,
  { ...endpointItem, decode: decodeRegistration },
  eventItem,
  attemptItem,
  logItem,
  resourceItem,
  documentItem,
]
