/** What an alarm is here, and the CloudFormation resource that it becomes. */
import type { Reference, Resource } from '../service.ts'

/** A metric by its statistic in each period. */
export interface Metric {
  namespace: string
  name: string
  dimensions?: Record<string, Reference | string>
  statistic: 'Sum' | 'Maximum' | 'SampleCount'
}

export interface Alarm {
  /** What is wrong when it is red: one line of the e-mail. */
  says: string
  /** By the names that `expression` has for them: at most 10, as CloudWatch has it. */
  metrics: Record<string, Metric>
  /** A metric's name, or metric math. A metric that has values only where there is something to count is filled with 0: it would keep its alarm red when it ends. */
  expression: string
  /** Red from this value on; `below`: red under it. */
  threshold: number
  below?: true
  /** Seconds. */
  period?: number
  /** Of so many of the last periods, so many have to be over the threshold. */
  of?: number
  least?: number
  /** Without any data it is red. */
  silence?: true
}

/** Where docs/operations.md says what to do. */
const guideOf = (id: string): string => `docs/operations.md#${id.toLowerCase()}`

const TOPIC = { Ref: 'Alarms' }

/**
 * Of two periods one is enough by default: the latest one may lack what comes late, and FILL makes a 0 of that.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html ("FILL")
 */
export const toResource = (id: string, stack: string, alarm: Alarm): Resource => {
  const { says, metrics, expression, threshold, below, period = 300, of = 2, least = 1, silence } = alarm
  const only = metrics[expression]
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmDescription: `${says} (${stack}). What to do: ${guideOf(id)}`,
      ...(only === undefined
        ? { Metrics: queriesOf(id, alarm, period) }
        : { ...metricOf(only), Period: period, Statistic: only.statistic }),
      EvaluationPeriods: of,
      DatapointsToAlarm: least,
      Threshold: threshold,
      ComparisonOperator: below ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
      TreatMissingData: silence ? 'breaching' : 'notBreaching',
      AlarmActions: [TOPIC],
      OKActions: [TOPIC],
    },
  }
}

const queriesOf = (Label: string, { metrics, expression }: Alarm, Period: number) => [
  { Id: 'watched', Expression: expression, Label, ReturnData: true },
  ...Object.entries(metrics).map(([Id, metric]) => ({
    Id,
    MetricStat: { Metric: metricOf(metric), Period, Stat: metric.statistic },
    ReturnData: false,
  })),
]

const metricOf = ({ namespace, name, dimensions = {} }: Metric) => ({
  Namespace: namespace,
  MetricName: name,
  Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
})
