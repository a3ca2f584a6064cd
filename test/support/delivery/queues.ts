/** The queues of wake-ups for tests: fauxqs in this process, with the attributes that matter, and the settings that point to them. */
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { REGION } from '../table/dynamo.ts'

export interface DeliveryQueues {
  endpoint: string
  server: FauxqsServer
  urls: { wakeUps: string; slowWakeUps: string; timers: string; jobs: string; removals: string }
  /** Dead-letter queues by their logical ids. No setting points to them: a message there is an error in a test. */
  deadUrls: Record<string, string>
  /** Whether a receive could return messages. This check is a hundred times cheaper than a receive. */
  hasVisible(url: string): boolean
  /** Messages that are in none of the dead-letter queues. */
  waiting(): number
  /** Messages that were received too often. */
  dead(): number
  stop(): Promise<void>
}

/** As infra/queues.yml has it: a wake-up whose function has died comes back after this, in seconds. */
const VISIBILITY_SECONDS = 180
const MAX_RECEIVES = 3

const NONE = { ready: [], delayed: [], inflight: [] }

const FIFO = ['wake-ups', 'slow-wake-ups'] as const

export const startDeliveryQueues = async (): Promise<DeliveryQueues> => {
  const server = await startFauxqs({ port: 0, logger: false })
  const create = (name: string, fifo: boolean, deadName = name) => {
    const suffix = fifo ? '.fifo' : ''
    const kind: Record<string, string> = fifo ? { FifoQueue: 'true' } : {}
    const dead = server.createQueue(`${deadName}-dead${suffix}`, { region: REGION, attributes: kind })
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.queueArn, maxReceiveCount: MAX_RECEIVES })
    return server.createQueue(`${name}${suffix}`, {
      region: REGION,
      attributes: { ...kind, VisibilityTimeout: String(VISIBILITY_SECONDS), RedrivePolicy },
    }).queueUrl
  }
  const [wakeUps = '', slowWakeUps = ''] = FIFO.map((name) => create(name, true))
  const timers = create('timers', false)
  const jobs = create('jobs', false)
  const removals = create('removals', false, 'jobs')
  const failures = server.createQueue('failures', { region: REGION, attributes: {} }).queueUrl
  const endpoint = `http://127.0.0.1:${server.port}`
  Object.assign(process.env, {
    SQS_ENDPOINT: endpoint,
    WAKE_UP_QUEUE_URL: wakeUps,
    SLOW_WAKE_UP_QUEUE_URL: slowWakeUps,
    TIMER_QUEUE_URL: timers,
    JOB_QUEUE_URL: jobs,
    REMOVAL_QUEUE_URL: removals,
  })
  const count = (names: string[]): number =>
    names
      .flatMap((name) => server.inspectQueue(name)?.messages ?? [])
      .map(({ ready, delayed, inflight }) => ready.length + delayed.length + inflight.length)
      .reduce((sum, length) => sum + length, 0)
  return {
    endpoint,
    server,
    urls: { wakeUps, slowWakeUps, timers, jobs, removals },
    deadUrls: {
      WakeUpDeadLetterQueue: wakeUps.replace(/\.fifo$/, '-dead.fifo'),
      TimerDeadLetterQueue: `${timers}-dead`,
      JobDeadLetterQueue: `${jobs}-dead`,
      DispatchFailures: failures,
    },
    hasVisible: (url) => {
      const { ready, delayed, inflight } = server.inspectQueue(url.slice(url.lastIndexOf('/') + 1))?.messages ?? NONE
      const now = Date.now()
      return (
        ready.length > 0 ||
        delayed.some(({ delayUntil = 0 }) => delayUntil <= now) ||
        inflight.some(({ visibilityDeadline }) => visibilityDeadline <= now)
      )
    },
    waiting: () => count(['wake-ups.fifo', 'slow-wake-ups.fifo', 'timers', 'jobs', 'removals']),
    dead: () => count(['wake-ups-dead.fifo', 'slow-wake-ups-dead.fifo', 'timers-dead', 'jobs-dead']),
    stop: () => server.stop(),
  }
}
