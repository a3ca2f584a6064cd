/** The queues of wake-ups: two FIFO ones whose consumers deliver, one with delays whose consumer only passes on, and that of jobs, which is fair to tenants. */
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { AgentError, errorName } from '../errors.ts'
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import {
  committedId,
  type DestinationWakeUp,
  deduplicationId,
  encodeJobWakeUp,
  encodeWakeUp,
  groupOf,
  jobGroupOf,
  type LaneWakeUp,
  type Use,
  type WakeUp,
} from './wake-up.ts'

let client: SQSClient | undefined
let impatient: SQSClient | undefined

const newClient = (maxAttempts: number): SQSClient => {
  const endpoint = settings().SQS_ENDPOINT
  return new SQSClient({
    ...(endpoint !== undefined && { endpoint }),
    // The host of a queue's URL need not be where SQS is reached: AWS_ENDPOINT_URL and the local stage say another one.
    useQueueUrlAsEndpoint: false,
    maxAttempts,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  })
}

/** Connection 1 s, request 2 s, three attempts: the SDK waits without bound by default. */
export const sqs = (): SQSClient => {
  client ??= newClient(3)
  return client
}

/** For a caller who waits: one attempt. The SDK takes the number of attempts for a whole client only. */
export const sqsOnce = (): SQSClient => {
  impatient ??= newClient(1)
  return impatient
}

type QueueName = 'WAKE_UP_QUEUE_URL' | 'SLOW_WAKE_UP_QUEUE_URL' | 'TIMER_QUEUE_URL' | 'JOB_QUEUE_URL'

/** Throws `settings.invalid` where this function does not have it. */
const urlOf = (name: QueueName): string => {
  const url = settings()[name]
  if (url === undefined) throw new AgentError('settings.invalid', `${name}: is missing`)
  return url
}

/** SendMessageBatch takes at most 10 messages. */
const BATCH = 10

interface Entry {
  MessageBody: string
  MessageGroupId?: string
  MessageDeduplicationId?: string
  DelaySeconds?: number
}

/**
 * Sends messages, in calls of ten side by side, and tells of each whether the queue took it.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
const sendAll = async (QueueUrl: string, entries: Entry[], dropRefused = false): Promise<boolean[]> => {
  const calls = Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, call) =>
    entries.slice(call * BATCH, (call + 1) * BATCH),
  )
  const taken = await Promise.all(calls.map((batch) => sendBatch(QueueUrl, batch, dropRefused)))
  return taken.flat()
}

const sendBatch = async (QueueUrl: string, entries: Entry[], dropRefused: boolean): Promise<boolean[]> => {
  const Entries = entries.map((entry, index) => ({ Id: String(index), ...entry }))
  try {
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    for (const { Code, SenderFault = false } of Failed)
      log(SenderFault ? 'error' : 'warn', 'a wake-up was not taken by its queue', {
        event: SenderFault ? 'wake_up.invalid' : 'wake_up.refused',
        code: Code,
      })
    const refused = new Set(Failed.filter(({ SenderFault }) => !(dropRefused && SenderFault)).map(({ Id }) => Id))
    return Entries.map(({ Id }) => !refused.has(Id))
  } catch (error) {
    log('error', 'the queue of wake-ups does not answer', {
      event: 'wake_up.queue_unavailable',
      error: errorName(error),
    })
    return entries.map(() => false)
  }
}

/** A wake-up of an item that was committed, with the id that its two senders share. */
export interface CommittedItem {
  lane: string
  itemId: string
  /** Where it goes, if nothing was waiting in the lane before it. */
  firstTo?: string | undefined
}

const laneEntry = (wakeUp: LaneWakeUp, use: Use, id = deduplicationId(wakeUp)): Entry => ({
  MessageBody: encodeWakeUp(wakeUp),
  MessageGroupId: groupOf(wakeUp.lane, use),
  MessageDeduplicationId: id,
})

const committedEntry = ({ lane, itemId, firstTo }: CommittedItem): Entry => {
  const first = firstTo === undefined ? {} : { first: { id: itemId, destination: firstTo } }
  return laneEntry({ lane, reason: { kind: 'committed', ...first } }, 'fast', committedId(lane, itemId))
}

/**
 * Wakes the lanes of committed items; tells of each whether the queue took it. One that the queue calls invalid (`SenderFault`) is dropped and
 * counts as taken, for it would be invalid each time and would keep the stream from going on.
 */
export const wakeCommitted = (items: CommittedItem[]): Promise<boolean[]> =>
  sendAll(urlOf('WAKE_UP_QUEUE_URL'), items.map(committedEntry), true)

/** How long a function waits for SQS after its commit, in ms. The stream's dispatcher sends all that was not sent in this time. */
const COMMIT_PATIENCE = 250

/**
 * Wakes the lane of an item that this function has just committed: one attempt, 250 ms at most. A failure is logged and nothing more, for
 * the stream's dispatcher wakes the lane too. Awaited, because work that is left behind is frozen with the function.
 */
export const wakeNow = async (item: CommittedItem): Promise<void> => {
  const QueueUrl = settings().WAKE_UP_QUEUE_URL
  if (QueueUrl === undefined) return
  try {
    await sqsOnce().send(new SendMessageCommand({ QueueUrl, ...committedEntry(item) }), {
      abortSignal: AbortSignal.timeout(COMMIT_PATIENCE),
    })
  } catch (error) {
    log('warn', 'a lane was not woken after the commit', { event: 'wake_up.not_sent', error: errorName(error) })
  }
}

/** Wakes lanes; tells of each whether the queue took it. */
export const wakeLanes = (wakeUps: LaneWakeUp[], use: Use = 'fast'): Promise<boolean[]> =>
  sendAll(
    urlOf(use === 'fast' ? 'WAKE_UP_QUEUE_URL' : 'SLOW_WAKE_UP_QUEUE_URL'),
    wakeUps.map((wakeUp) => laneEntry(wakeUp, use)),
  )

/** Seconds. SQS allows 15 minutes, but the sweep runs every minute and sees to longer waits. */
const MAX_DELAY = 60

/**
 * Sends a wake-up that arrives after `delay` ms; one that is to wait for more than a minute is left to the sweep. Its entry in the index of
 * what is due must be there already, so that losing this message costs a minute and nothing else.
 */
export const wakeLater = async (wakeUp: WakeUp, delay: number): Promise<void> => {
  const DelaySeconds = Math.max(0, Math.ceil(delay / 1000))
  if (DelaySeconds > MAX_DELAY) return
  await sendAll(urlOf('TIMER_QUEUE_URL'), [{ MessageBody: encodeWakeUp(wakeUp), DelaySeconds }])
}

/** Wakes destinations now; tells of each whether the queue took it. */
export const wakeDestinations = (wakeUps: DestinationWakeUp[]): Promise<boolean[]> =>
  sendAll(
    urlOf('TIMER_QUEUE_URL'),
    wakeUps.map((wakeUp) => ({ MessageBody: encodeWakeUp(wakeUp) })),
  )

const jobEntry = (job: string): Entry => ({ MessageBody: encodeJobWakeUp(job), MessageGroupId: jobGroupOf(job) })

/** Wakes jobs, by the partition keys of their items. Jobs that the queue does not accept are woken by the next sweep. */
export const wakeJobs = async (jobs: readonly string[]): Promise<void> => {
  if (jobs.length === 0) return
  await sendAll(urlOf('JOB_QUEUE_URL'), jobs.map(jobEntry))
}

/** The same for jobs, in ms: no stream makes good a wake-up that was not sent, and the sweep may be a minute away. */
const JOB_PATIENCE = 2_000

/** Wakes the jobs that this function has just committed, as `wakeNow` does with a lane; the sweep wakes those that this one does not. */
export const wakeJobsNow = async (jobs: readonly string[]): Promise<void> => {
  const QueueUrl = settings().JOB_QUEUE_URL
  if (QueueUrl === undefined || jobs.length === 0) return
  const Entries = jobs.slice(0, BATCH).map((job, index) => ({ Id: String(index), ...jobEntry(job) }))
  try {
    await sqsOnce().send(new SendMessageBatchCommand({ QueueUrl, Entries }), {
      abortSignal: AbortSignal.timeout(JOB_PATIENCE),
    })
  } catch (error) {
    log('warn', 'jobs were not woken after the commit', { event: 'job.not_woken', error: errorName(error) })
  }
}

/** Wakes a job after `delay` ms, as `wakeLater` does with a lane: its time is in the index already. */
export const wakeJobLater = async (job: string, delay: number): Promise<void> => {
  const DelaySeconds = Math.ceil(delay / 1000)
  if (DelaySeconds > MAX_DELAY) return
  await sendAll(urlOf('JOB_QUEUE_URL'), [{ ...jobEntry(job), DelaySeconds }])
}
