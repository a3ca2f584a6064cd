/** A deployed alarm, and whether it is on. */
import * as v from 'valibot'

const Metric = { Namespace: v.string(), MetricName: v.string() }
const Rules = {
  EvaluationPeriods: v.number(),
  DatapointsToAlarm: v.number(),
  Threshold: v.number(),
  ComparisonOperator: v.picklist(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  TreatMissingData: v.picklist(['breaching', 'notBreaching']),
}
/** Of a metric as it comes, or of an expression over it. */
const Properties = v.union([
  v.object({ ...Rules, ...Metric, Period: v.number(), Statistic: v.string() }),
  v.object({
    ...Rules,
    Metrics: v.strictTuple([
      v.object({ Expression: v.picklist(['FILL(m, 0)', 'DIFF(FILL(m, 0))']), ReturnData: v.literal(true) }),
      v.object({
        Id: v.literal('m'),
        MetricStat: v.object({ Metric: v.object(Metric), Period: v.number(), Stat: v.string() }),
        ReturnData: v.literal(false),
      }),
    ]),
  }),
])

export interface DeployedAlarm extends v.InferOutput<v.ObjectSchema<typeof Rules, undefined>> {
  /** With its namespace. */
  metric: string
  statistic: string
  /** Seconds. */
  period: number
  expression: string | undefined
}

export const readAlarm = (properties: unknown): DeployedAlarm => {
  const alarm = v.parse(Properties, properties)
  if (!('Metrics' in alarm)) {
    const { Namespace, MetricName, Period, Statistic, ...rules } = alarm
    return {
      ...rules,
      metric: `${Namespace} ${MetricName}`,
      statistic: Statistic,
      period: Period,
      expression: undefined,
    }
  }
  const [{ Expression }, { MetricStat }] = alarm.Metrics
  const { Metric, Period, Stat } = MetricStat
  const metric = `${Metric.Namespace} ${Metric.MetricName}`
  return { ...alarm, metric, statistic: Stat, period: Period, expression: Expression }
}

/** CloudWatch reads more periods than it evaluates, where values are missing: its own example has 5 for 3. */
const MORE_PERIODS = 2

/**
 * Whether an alarm is on after these values of its metric, one a period, the oldest first; undefined where there was none.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export const isOn = (alarm: DeployedAlarm, values: readonly (number | undefined)[]): boolean => {
  const { EvaluationPeriods, DatapointsToAlarm, Threshold, ComparisonOperator, TreatMissingData, expression } = alarm
  const filled = values.map((value) => (expression === undefined ? value : (value ?? 0)))
  const compared = expression?.startsWith('DIFF')
    ? filled.slice(1).map((value, index) => Number(value) - Number(filled[index]))
    : filled
  const there = compared.slice(-EvaluationPeriods - MORE_PERIODS).filter((value) => value !== undefined)
  const missing = TreatMissingData === 'breaching' ? Math.max(0, EvaluationPeriods - there.length) : 0
  const breaching = there
    .slice(-EvaluationPeriods)
    .filter((value) => (ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold))
  return breaching.length + missing >= DatapointsToAlarm
}
