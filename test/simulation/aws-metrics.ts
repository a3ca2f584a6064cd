/** What AWS measures by itself while a simulation runs: of functions, queues and the table, as the template's alarms look at it. */
import type { Reference } from '../../infra/service.ts'
import { keyOf, type RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import type { QueueModel } from './queue-model.ts'
import type { VirtualClock } from './virtual-clock.ts'

const MINUTE = 60_000

const API = { ApiName: 'serverless-agent-dev', Stage: 'dev' }

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
    this.#running += 1
    this.#add('AWS/Lambda', 'ConcurrentExecutions', {}, this.#running)
    this.#add('AWS/Lambda', 'Invocations', { FunctionName: { Ref: functionId } }, 1)
    try {
      await invoke()
    } finally {
      this.#running -= 1
    }
  }

  /** An invocation that was asked for beyond what the account may run at once: so many run, of whatever functions. */
  throttle(concurrency: number): void {
    this.#add('AWS/Lambda', 'Throttles', {}, 1)
    this.#add('AWS/Lambda', 'ConcurrentExecutions', {}, concurrency)
  }

  /** Lambda's report of an invocation that was killed, as its telemetry has it. */
  kill(): void {
    this.#recorded.addLine({ type: 'platform.report', record: { status: 'timeout' } }, this.#minute)
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
    this.#add('AWS/ApiGateway', '5XXError', API, status >= 500 ? 1 : 0)
    this.#add('AWS/ApiGateway', 'IntegrationLatency', API, this.#clock.now() - startedAt)
  }

  /** Looks at a queue, by its logical id, once a minute. */
  watch(id: string, queue: QueueModel): void {
    this.#clock.at(this.#clock.now() + MINUTE, () => {
      const dimensions = { QueueName: { 'Fn::GetAtt': [id, 'QueueName'] } } satisfies Record<string, Reference>
      this.#add('AWS/SQS', 'ApproximateAgeOfOldestMessage', dimensions, queue.oldestAge / 1000)
      this.watch(id, queue)
    })
  }

  get #minute(): number {
    return Math.floor(this.#clock.now() / MINUTE)
  }

  #add(namespace: string, name: string, dimensions: Record<string, Reference | string>, value: number): void {
    this.#recorded.add(keyOf(namespace, name, dimensions), this.#minute, value)
  }
}
