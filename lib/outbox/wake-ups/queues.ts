/** Sends wake-ups to the queues: two FIFO queues for deliveries, a queue for delays, and two fair queues for jobs. */
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { AgentError, errorName } from '../../errors.ts'
import { log } from '../../log.ts'
import { measure } from '../../metrics.ts'
import { settings } from '../../settings.ts'
import { leanClient, leanRequestHandler } from '../../store/lean-client.ts'
import { requestSigner } from '../../store/request-signer.ts'
import { jobKeyOf, REMOVALS } from './keys.ts'
import {
  type Bulkhead,
  committedId,
  type DestinationWakeUp,
  deduplicationId,
  encodeJobWakeUp,
  encodeWakeUp,
  jobGroupOf,
  type LaneWakeUp,
  messageGroupOf,
  type WakeUp,
} from './wake-up.ts'

const clientOf = (maxAttempts: number, timeouts: Parameters<typeof leanRequestHandler>[0] = {}) => {
  let client: SQSClient | undefined
  return (): SQSClient => {
    client ??= newClient(maxAttempts, timeouts)
    return client
  }
}

const newClient = (maxAttempts: number, timeouts: Parameters<typeof leanRequestHandler>[0]): SQSClient => {
  const endpoint = settings().SQS_ENDPOINT
  const client: SQSClient = new SQSClient({
    ...(endpoint !== undefined && { endpoint }),
    // SQS may have another address than the host of the queue's URL: AWS_ENDPOINT_URL and the local stage set one.
    useQueueUrlAsEndpoint: false,
    maxAttempts,
    // As in store/client.ts.
    cacheMiddleware: true,
    requestHandler: leanRequestHandler(timeouts),
    signer: requestSigner(() => client.config, 'sqs'),
  })
  return leanClient(client)
}

/** Makes three attempts. */
export const sqs = clientOf(3)

/** Timeout for SQS after the commit of a function, in ms. The stream's dispatcher sends the same wake-up anyway. */
const COMMIT_TIMEOUT_MS = 250

/**
 * Makes one attempt, for functions whose caller waits. A second client, because the number of attempts is a setting of
 * the client. The timeout is one, too: with options for a command the SDK builds its middleware stack again.
 */
export const sqsOnce = clientOf(1, { requestTimeout: COMMIT_TIMEOUT_MS })

type JobQueueName = 'JOB_QUEUE_URL' | 'REMOVAL_QUEUE_URL'
type QueueName = 'WAKE_UP_QUEUE_URL' | 'SLOW_WAKE_UP_QUEUE_URL' | 'TIMER_QUEUE_URL' | JobQueueName

/** Throws `settings.invalid` if the function does not have this setting. */
const urlOf = (name: QueueName): string => {
  const url = settings()[name]
  if (url === undefined) throw new AgentError('settings.invalid', `${name}: is missing`)
  return url
}

/** SendMessageBatch takes at most 10 messages. */
const BATCH = 10

type BatchEntry = Omit<NonNullable<SendMessageBatchCommand['input']['Entries']>[number], 'Id'>

/**
 * Sends messages in concurrent calls of ten. Returns for each whether the queue has accepted it.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
const sendAll = async (QueueUrl: string, entries: BatchEntry[], acceptInvalid = false): Promise<boolean[]> => {
  const calls = Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, call) =>
    entries.slice(call * BATCH, (call + 1) * BATCH),
  )
  const accepted = await Promise.all(calls.map((batch) => sendBatch(QueueUrl, batch, acceptInvalid)))
  return accepted.flat()
}

const sendBatch = async (QueueUrl: string, entries: BatchEntry[], acceptInvalid: boolean): Promise<boolean[]> => {
  const Entries = entries.map((entry, index) => ({ Id: String(index), ...entry }))
  try {
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    for (const { Code: code, SenderFault } of Failed)
      if (SenderFault)
        measure('error', 'invalid wake-up', { event: 'wake_up.invalid', code }, { values: { WakeUpsDead: 1 } })
      else log('warn', 'wake-up rejected by its queue', { event: 'wake_up.refused', code })
    const rejected = new Set(Failed.filter(({ SenderFault }) => !(acceptInvalid && SenderFault)).map(({ Id }) => Id))
    return Entries.map(({ Id }) => !rejected.has(Id))
  } catch (error) {
    log('error', 'wake-up queue unavailable', {
      event: 'wake_up.queue_unavailable',
      error: errorName(error),
    })
    return entries.map(() => false)
  }
}

/** A committed item. The function and the stream's dispatcher both send its wake-up, with the same deduplication id. */
export interface CommittedItem {
  lane: string
  itemId: string
  /** Its destination, if it was the only item in the lane. */
  firstTo?: string | undefined
}

const laneEntry = (wakeUp: LaneWakeUp, bulkhead: Bulkhead, id = deduplicationId(wakeUp)): BatchEntry => ({
  MessageBody: encodeWakeUp(wakeUp),
  MessageGroupId: messageGroupOf(wakeUp.lane, bulkhead),
  MessageDeduplicationId: id,
})

const committedEntry = ({ lane, itemId, firstTo }: CommittedItem): BatchEntry => {
  const first = firstTo === undefined ? {} : { first: { id: itemId, destination: firstTo } }
  return laneEntry({ lane, reason: { kind: 'committed', ...first } }, 'fast', committedId(lane, itemId))
}

/**
 * Wakes the lanes of committed items. Returns for each whether the queue has accepted the wake-up. A wake-up that the
 * queue rejects as invalid (`SenderFault`) counts as accepted, because a retry cannot succeed and would block the
 * stream.
 */
export const wakeCommitted = (items: CommittedItem[]): Promise<boolean[]> =>
  sendAll(urlOf('WAKE_UP_QUEUE_URL'), items.map(committedEntry), true)

/**
 * Wakes the lane of an item that this function has just committed: one attempt, 250 ms at most. A failure is only
 * logged, because the stream's dispatcher wakes the lane too. Callers await this, because Lambda freezes the process
 * after the response.
 */
export const wakeNow = async (item: CommittedItem): Promise<void> => {
  const QueueUrl = settings().WAKE_UP_QUEUE_URL
  if (QueueUrl === undefined) return
  await sqsOnce()
    .send(new SendMessageCommand({ QueueUrl, ...committedEntry(item) }))
    .catch((error) => log('warn', 'lane not woken', { event: 'wake_up.not_sent', error: errorName(error) }))
}

/** Wakes lanes. Returns for each whether the queue has accepted the wake-up. */
export const wakeLanes = (wakeUps: LaneWakeUp[], bulkhead: Bulkhead = 'fast'): Promise<boolean[]> =>
  sendAll(
    urlOf(bulkhead === 'fast' ? 'WAKE_UP_QUEUE_URL' : 'SLOW_WAKE_UP_QUEUE_URL'),
    wakeUps.map((wakeUp) => laneEntry(wakeUp, bulkhead)),
  )

/** In seconds. SQS allows 15 minutes, but the sweep, which runs every minute, sends the wake-ups with a longer delay. */
const MAX_DELAY = 60

/**
 * Sends a wake-up that arrives after `delay` ms; for more than a minute it leaves that to the sweep. The entry in the
 * index `due` must exist already, so that a lost message costs at most a minute.
 */
export const wakeLater = async (wakeUp: WakeUp, delay: number): Promise<void> => {
  await sendAll(urlOf('TIMER_QUEUE_URL'), delayed({ MessageBody: encodeWakeUp(wakeUp) }, delay))
}

const delayed = (entry: BatchEntry, delay: number): BatchEntry[] => {
  const DelaySeconds = Math.max(0, Math.ceil(delay / 1000))
  return DelaySeconds > MAX_DELAY ? [] : [{ ...entry, DelaySeconds }]
}

/** Wakes destinations now. Returns for each whether the queue has accepted the wake-up. */
export const wakeDestinations = (wakeUps: DestinationWakeUp[]): Promise<boolean[]> =>
  sendAll(
    urlOf('TIMER_QUEUE_URL'),
    wakeUps.map((wakeUp) => ({ MessageBody: encodeWakeUp(wakeUp) })),
  )

const jobEntry = (job: string): BatchEntry => ({ MessageBody: encodeJobWakeUp(job), MessageGroupId: jobGroupOf(job) })

const jobQueueOf = (job: string): JobQueueName => {
  const type = jobKeyOf(job)?.type
  return REMOVALS.some((removal) => removal === type) ? 'REMOVAL_QUEUE_URL' : 'JOB_QUEUE_URL'
}

/** Wakes jobs, by the partition keys of their items. Returns for each whether its queue has accepted the wake-up. */
export const wakeJobs = async (jobs: readonly string[]): Promise<boolean[]> => {
  const accepted = new Set<string>()
  for (const [queue, some] of Map.groupBy(jobs, jobQueueOf)) {
    const results = await sendAll(urlOf(queue), some.map(jobEntry))
    for (const [index, job] of some.entries()) if (results[index] === true) accepted.add(job)
  }
  return jobs.map((job) => accepted.has(job))
}

/**
 * The same for jobs, in ms. It is longer, because the dispatcher does not wake jobs, and the next sweep may be a minute
 * away.
 */
const JOB_TIMEOUT_MS = 2_000

/**
 * Wakes the jobs that this function has just committed, as `wakeNow` does with a lane. If this fails, the sweep wakes
 * them.
 */
export const wakeJobsNow = async (jobs: readonly string[]): Promise<void> => {
  for (const [queue, some] of Map.groupBy(jobs, jobQueueOf)) await wakeQueueNow(settings()[queue], some)
}

const wakeQueueNow = async (QueueUrl: string | undefined, jobs: readonly string[]): Promise<void> => {
  if (QueueUrl === undefined) return
  const Entries = jobs.slice(0, BATCH).map((job, index) => ({ Id: String(index), ...jobEntry(job) }))
  await sqsOnce()
    .send(new SendMessageBatchCommand({ QueueUrl, Entries }), { requestTimeout: JOB_TIMEOUT_MS })
    .catch((error) => log('warn', 'jobs not woken', { event: 'job.not_woken', error: errorName(error) }))
}

/** Wakes a job after `delay` ms, as `wakeLater` does with a lane: its entry in the index `due` must exist already. */
export const wakeJobLater = async (job: string, delay: number): Promise<void> => {
  await sendAll(urlOf(jobQueueOf(job)), delayed(jobEntry(job), delay))
}
