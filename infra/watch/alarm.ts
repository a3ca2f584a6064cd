/** Describes an alarm, and makes its CloudFormation resource. */
import type { Reference, Resource } from '../service.ts'

/** A metric by its statistic in each period. */
export interface Metric {
  namespace: string
  name: string
  dimensions?: Record<string, Reference | string>
  statistic: 'Sum' | 'Maximum' | 'SampleCount'
}

export interface Alarm {
  /** What is wrong while it is on: one line of the e-mail. */
  description: string
  /** By their names in `expression`; CloudWatch allows 10. */
  metrics: Record<string, Metric>
  /**
   * A metric's name, or metric math. A metric without values when nothing happens is filled with 0: otherwise its alarm
   * would stay on.
   */
  expression: string
  threshold: number
  /** How a value compares with the threshold while the alarm is on. */
  comparison?: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold'
  /** Seconds. */
  period?: number
  /** The alarm is on if at least `datapointsToAlarm` of the last `evaluationPeriods` values compare so. */
  evaluationPeriods?: number
  datapointsToAlarm?: number
  /** What a period without data counts as. */
  missingData?: 'breaching' | 'notBreaching'
}

/** The section of docs/trouble.md that says what to do. */
export const guideOf = (id: string): string => `docs/trouble.md#${id.toLowerCase()}`

const TOPIC = { Ref: 'Alarms' }

/**
 * Of two periods one is enough by default: the latest one may lack what comes late, and FILL makes a 0 of that.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html ("FILL")
 */
export const toResource = (id: string, stack: string, alarm: Alarm): Resource => {
  const { description, metrics, expression, threshold, period = 300 } = alarm
  const { comparison = 'GreaterThanOrEqualToThreshold', missingData = 'notBreaching' } = alarm
  const { evaluationPeriods = 2, datapointsToAlarm = 1 } = alarm
  const only = metrics[expression]
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmDescription: `${description} (${stack}). What to do: ${guideOf(id)}`,
      ...(only === undefined
        ? { Metrics: queriesOf(id, alarm, period) }
        : { ...metricOf(only), Period: period, Statistic: only.statistic }),
      EvaluationPeriods: evaluationPeriods,
      DatapointsToAlarm: datapointsToAlarm,
      Threshold: threshold,
      ComparisonOperator: comparison,
      TreatMissingData: missingData,
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
