/** What AWS measures by itself while a simulation runs: of functions, queues and the table, as the template's alarms look at it. */
import type { Reference } from '../../infra/service.ts'
import { keyOf, type RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import type { QueueModel } from './queue-model.ts'
import type { VirtualClock } from './virtual-clock.ts'

const MINUTE = 60_000

const API = { ApiName: 'serverless-agent-dev', Stage: 'dev' }

const TABLE = { TableName: { Ref: 'Table' } }

export class AwsMetrics {
  readonly #recorded: RecordedMetrics
  readonly #clock: VirtualClock
  #running = 0

  constructor(recorded: RecordedMetrics, clock: VirtualClock) {
    this.#recorded = recorded
    this.#clock = clock
  }

  /** Runs an invocation of a function, which is named by its logical id. https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html */
  async invocation(functionId: string, invoke: () => Promise<unknown>): Promise<void> {
    const startedAt = this.#clock.now()
    this.#running += 1
    this.#add('AWS/Lambda', 'ConcurrentExecutions', {}, this.#running)
    const dimensions = { FunctionName: { Ref: functionId } }
    let errors = 1
    try {
      await invoke()
      errors = 0
    } finally {
      this.#running -= 1
      this.#add('AWS/Lambda', 'Errors', dimensions, errors)
      this.#add('AWS/Lambda', 'Duration', dimensions, this.#clock.now() - startedAt)
    }
  }

  /** An invocation that was asked for beyond what the account may run at once: so many run, of whatever functions. */
  throttle(concurrency: number): void {
    this.#add('AWS/Lambda', 'Throttles', {}, 1)
    this.#add('AWS/Lambda', 'ConcurrentExecutions', {}, concurrency)
  }

  /** What the filter of infra/metric-filters.yml counts of Lambda's report of an invocation that was killed. */
  kill(): void {
    this.#add('serverless-agent-dev', 'FunctionCrashes', {}, 1)
  }

  /** How old the last change of a batch was when it was through. */
  iteratorAge(functionId: string, ms: number): void {
    this.#add('AWS/Lambda', 'IteratorAge', { FunctionName: { Ref: functionId } }, ms)
  }

  /**
   * A request to the API: `ask` resolves to its status.
   * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
   */
  async request(ask: () => Promise<number>): Promise<void> {
    const startedAt = this.#clock.now()
    const status = await ask()
    this.#add('AWS/ApiGateway', 'Count', API, 1)
    this.#add('AWS/ApiGateway', '5XXError', API, status >= 500 ? 1 : 0)
    this.#add('AWS/ApiGateway', 'IntegrationLatency', API, this.#clock.now() - startedAt)
  }

  /** A request that DynamoDB refused, for its rate, or for a fault of its own; it has no data where there is none. */
  refusal(operation: string, kind: 'fault' | 'rate'): void {
    if (kind === 'fault') this.#add('AWS/DynamoDB', 'SystemErrors', { ...TABLE, Operation: operation }, 1)
    else
      this.#add(
        'AWS/DynamoDB',
        /^(Get|BatchGet|Query)/.test(operation) ? 'ReadThrottleEvents' : 'WriteThrottleEvents',
        TABLE,
        1,
      )
  }

  /** Looks at queues, by the logical ids of their own and of those where what fails lies, once a minute. */
  watch(queues: Record<string, { queue: QueueModel; dead: string }>): void {
    this.#clock.at(this.#clock.now() + MINUTE, () => {
      for (const [id, { queue, dead }] of Object.entries(queues)) {
        this.#add('AWS/SQS', 'ApproximateAgeOfOldestMessage', named(id), queue.oldestAge / 1000)
        this.#add('AWS/SQS', 'ApproximateNumberOfMessagesVisible', named(dead), queue.dead.length)
      }
      this.watch(queues)
    })
  }

  #add(namespace: string, name: string, dimensions: Record<string, Reference | string>, value: number): void {
    this.#recorded.add(keyOf(namespace, name, dimensions), Math.floor(this.#clock.now() / MINUTE), value)
  }
}

const named = (queueId: string): Record<string, Reference> => ({ QueueName: { 'Fn::GetAtt': [queueId, 'QueueName'] } })
