/** Describes an alarm, and creates its CloudFormation resource. */
import type { Reference, Resource } from '../service.ts'

/** An alarm on a single metric: CloudWatch charges for each metric of an alarm. */
export interface Alarm {
  /** The problem while it is on: the first line of the e-mail. */
  description: string
  /** The log group and the query of CloudWatch Logs Insights that show what has happened. */
  log: 'LogGroup' | 'AccessLog'
  query: string
  namespace: string
  name: string
  dimensions?: Record<string, Reference | string>
  statistic: 'Sum' | 'Maximum' | 'Average'
  /**
   * Compares the growth of the metric, or its absence (silence), instead of its value. Except for silence, missing data
   * count as 0.
   */
  compared?: 'growth' | 'silence'
  threshold: number
  /** Seconds. */
  period: number
  /** It is on if at least `least` of the last `of` values reach the threshold; of a silence, are below it. */
  least: number
  of: number
}

const TOPIC = { Ref: 'Alarms' }

export const toResource = (id: string, stack: string, alarm: Alarm): Resource => {
  const isSilence = alarm.compared === 'silence'
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmDescription: textOf(id, stack, alarm),
      ...(isSilence
        ? { ...metricOf(alarm), Period: alarm.period, Statistic: alarm.statistic }
        : { Metrics: queriesOf(id, alarm) }),
      EvaluationPeriods: alarm.of,
      DatapointsToAlarm: alarm.least,
      Threshold: alarm.threshold,
      ComparisonOperator: isSilence ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
      TreatMissingData: isSilence ? 'breaching' : 'notBreaching',
      AlarmActions: [TOPIC],
      OKActions: [TOPIC],
    },
  }
}

/** The text of the e-mail. CloudWatch allows 1,024 characters. */
const textOf = (id: string, stack: string, { description, log, query }: Alarm): string =>
  [
    `${id}: ${description} (${stack}).`,
    `What happened, by CloudWatch Logs Insights in the log group ${stack}-${log}-...: ${query}`,
    `What to do: docs/trouble.md#${id.toLowerCase()}`,
  ].join('\n')

/**
 * Missing data count as 0: otherwise an alarm would stay on after the last value. In the latest period, data that
 * arrive late also count as 0. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 * ("FILL")
 */
const queriesOf = (Label: string, alarm: Alarm) => [
  {
    Id: 'watched',
    Expression: alarm.compared === 'growth' ? 'DIFF(FILL(m, 0))' : 'FILL(m, 0)',
    Label,
    ReturnData: true,
  },
  {
    Id: 'm',
    MetricStat: { Metric: metricOf(alarm), Period: alarm.period, Stat: alarm.statistic },
    ReturnData: false,
  },
]

const metricOf = ({ namespace, name, dimensions = {} }: Alarm) => ({
  Namespace: namespace,
  MetricName: name,
  Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
})
