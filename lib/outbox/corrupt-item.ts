/** Corrupt items: what cannot be read is set aside as it is, so that what waits behind it goes on. */
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import { corruptAddress } from '../store/keys.ts'
import { addressOf, epochSeconds, type Item, toKey } from '../store/table.ts'
import type { TableWrite } from '../store/write.ts'

/** An item of a lane that cannot be read. */
export interface CorruptItem {
  /** Takes it out of its lane, and records what can be recorded of it. */
  writes: TableWrite[]
  /** Ids for the log. */
  about: Record<string, unknown>
}

/** In seconds. */
const SECONDS_KEPT = 90 * 24 * 60 * 60

/** Takes an item from its place. It is kept with all of its attributes, at an address of its own, for whoever can mend it. */
export const setAside = (item: Item, now: number): TableWrite[] => {
  const address = addressOf(item)
  const kept: Item = {
    ...item,
    ...toKey(corruptAddress(address)),
    kind: { S: 'corrupt-item' },
    corruptKind: item.kind ?? { S: '' },
    corruptPk: { S: address.pk },
    corruptSk: { S: address.sk },
    expiresAt: { N: String(epochSeconds(now) + SECONDS_KEPT) },
  }
  return [{ remove: address, condition: { present: ['pk'] } }, { put: kept }]
}

/**
 * Tells of one, and counts it as a metric, by table.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const logCorrupt = (about: Record<string, unknown>, now: number): void =>
  log('error', 'an item that waits is corrupt and was set aside', {
    event: 'outbox.item_corrupt',
    ...about,
    Table: settings().TABLE_NAME,
    OutboxCorrupt: 1,
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        {
          Namespace: 'serverless-agent',
          Dimensions: [['Table']],
          Metrics: [{ Name: 'OutboxCorrupt', Unit: 'Count' }],
        },
      ],
    },
  })
