/** The metrics of alarms and the dashboard: those of the service itself (lib/metrics.ts), and AWS's own. */
import { type MetricName, NAMESPACE } from '../../lib/metrics.ts'
import type { Metric } from './alarm.ts'

type Statistic = Metric['statistic']

/** The dimension of the service's own metrics. */
const OF_TABLE = { Table: { Ref: 'Table' } }

export const own = (name: MetricName, statistic: Statistic = 'Sum'): Metric => ({
  namespace: NAMESPACE,
  name,
  dimensions: OF_TABLE,
  statistic,
})

/** Of one format and final state of exchanges. */
export const exchanges = (Format: string, State: string): Metric => ({
  ...own('ExchangesEnded'),
  dimensions: { ...OF_TABLE, Format, State },
})

/** Metrics of the filters in infra/metric-filters.yml, in the namespace of the stack. */
export const filtered = (stack: string, name: string): Metric => ({ namespace: stack, name, statistic: 'Sum' })

/**
 * Of one function, by its logical id; without one, of all functions of the account.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
 */
export const lambda = (name: string, statistic: Statistic, functionId?: string): Metric => ({
  namespace: 'AWS/Lambda',
  name,
  ...(functionId !== undefined && { dimensions: { FunctionName: { Ref: functionId } } }),
  statistic,
})

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html */
export const table = (name: string, more: Record<string, string> = {}): Metric => ({
  namespace: 'AWS/DynamoDB',
  name,
  dimensions: { TableName: { Ref: 'Table' }, ...more },
  statistic: 'Sum',
})

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html */
export const queue = (name: string, queueId: string): Metric => ({
  namespace: 'AWS/SQS',
  name,
  dimensions: { QueueName: { 'Fn::GetAtt': [queueId, 'QueueName'] } },
  statistic: 'Maximum',
})

/**
 * Of all operations.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
 */
export const api = (name: string, statistic: Statistic, stack: string, stage: string): Metric => ({
  namespace: 'AWS/ApiGateway',
  name,
  dimensions: { ApiName: stack, Stage: stage },
  statistic,
})
