/** Describes an alarm, and makes its CloudFormation resource. */
import type { Reference, Resource } from '../service.ts'

/** It watches one metric alone: CloudWatch charges for each that an alarm looks at. */
export interface Alarm {
  /** What is wrong while it is on: the first line of the e-mail. */
  description: string
  /** The log group and the query of CloudWatch Logs Insights that show what has happened. */
  log: 'LogGroup' | 'AccessLog'
  query: string
  namespace: string
  name: string
  dimensions?: Record<string, Reference | string>
  statistic: 'Sum' | 'Maximum' | 'Average'
  /**
   * What is compared: the metric, how much it grows, or, while there is no metric at all, its silence. Otherwise no data
   * are 0.
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

/** All that one e-mail has to say. CloudWatch allows 1,024 characters. */
const textOf = (id: string, stack: string, { description, log, query }: Alarm): string =>
  [
    `${id}: ${description} (${stack}).`,
    `What happened, by CloudWatch Logs Insights in the log group ${stack}-${log}-...: ${query}`,
    `What to do: docs/trouble.md#${id.toLowerCase()}`,
  ].join('\n')

/**
 * Without data all is well: unfilled, an alarm would stay on when nothing happens any more. The latest period may lack
 * what comes late, which is a 0 as well.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html ("FILL")
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
