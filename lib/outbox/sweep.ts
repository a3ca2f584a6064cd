/** The sweep: once a minute it wakes what is due, and tells how much there is and how old. */
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import { DUE_SHARDS, type DueEntry, dueEntries } from './due.ts'
import { wakeDestinations, wakeLanes } from './queues.ts'
import type { DestinationWakeUp, LaneWakeUp } from './wake-up.ts'

export interface Swept {
  /** Entries that were due. */
  entries: number
  /** How long the oldest of them has been due, in ms. */
  age: number
}

/** Wakes all that is due at `now` (ms since the epoch). What a queue does not take is due at the next sweep still. */
export const sweep = async (now: number): Promise<Swept> => {
  const shards = await Promise.all(DUE_SHARDS.map((shard) => sweepShard(shard, now)))
  const swept = {
    entries: shards.reduce((sum, { entries }) => sum + entries, 0),
    age: Math.max(...shards.map(({ age }) => age)),
  }
  report(swept, now)
  return swept
}

const sweepShard = async (shard: string, now: number): Promise<Swept> => {
  const swept: Swept = { entries: 0, age: 0 }
  for await (const page of dueEntries(shard, now)) {
    await wakeLanes(page.flatMap(toLaneWakeUp))
    await wakeDestinations(page.flatMap(toDestinationWakeUp))
    swept.entries += page.length
    swept.age = Math.max(swept.age, ...page.map(({ at }) => now - at))
  }
  return swept
}

const toLaneWakeUp = ({ lane, at }: DueEntry): LaneWakeUp[] =>
  lane === undefined ? [] : [{ lane, reason: { kind: 'due', at } }]

const toDestinationWakeUp = ({ destination, at }: DueEntry): DestinationWakeUp[] =>
  destination === undefined ? [] : [{ destination, at }]

/**
 * CloudWatch makes metrics of a line in its embedded metric format. They count by table, of which each stage has one, and by nothing else:
 * each other value of a dimension would be a metric to be paid for.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
const report = ({ entries, age }: Swept, now: number): void =>
  // An error, so that no level but `silent` loses the metric.
  log('error', 'the sweep has run', {
    event: 'outbox.swept',
    Table: settings().TABLE_NAME,
    OutboxDue: entries,
    OutboxDueAge: age,
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        {
          Namespace: 'serverless-agent',
          Dimensions: [['Table']],
          Metrics: [
            { Name: 'OutboxDue', Unit: 'Count' },
            { Name: 'OutboxDueAge', Unit: 'Milliseconds' },
          ],
        },
      ],
    },
  })
