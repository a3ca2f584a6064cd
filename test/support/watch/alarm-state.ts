/**
 * The state of an alarm as CloudWatch evaluates it: periods, evaluation range, datapoints to alarm, missing data, metric math.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
import * as v from 'valibot'
import { calculate, type Series } from './metric-math.ts'
import { keyOf, type RecordedMetrics } from './recorded-metrics.ts'

export type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'

const Dimensions = v.array(v.object({ Name: v.string(), Value: v.unknown() }))
const Source = { Namespace: v.string(), MetricName: v.string(), Dimensions }
const Rules = {
  EvaluationPeriods: v.number(),
  DatapointsToAlarm: v.number(),
  Threshold: v.number(),
  ComparisonOperator: v.picklist(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  TreatMissingData: v.picklist(['breaching', 'notBreaching', 'ignore']),
}
const Statistic = v.picklist(['Sum', 'Maximum', 'Average'])

/** Of one metric. */
const Single = v.object({ ...Rules, ...Source, Period: v.number(), Statistic })
/** Of an expression over several. */
const Query = v.union([
  v.object({ Id: v.string(), Expression: v.string(), ReturnData: v.literal(true) }),
  v.object({
    Id: v.string(),
    MetricStat: v.object({ Metric: v.object(Source), Period: v.number(), Stat: Statistic }),
    ReturnData: v.literal(false),
  }),
])
const Computed = v.object({ ...Rules, Metrics: v.array(Query) })

export const AlarmProperties = v.union([Single, Computed])
export type AlarmProperties = v.InferOutput<typeof AlarmProperties>

/** CloudWatch looks at some periods more than it evaluates: its own example has 5 for 3. */
const MORE_PERIODS = 2

/** Minutes after which a value is there: the log's way to a metric takes a moment. */
const DELAY = 1

const metricsOf = (alarm: AlarmProperties) => {
  if (!('Metrics' in alarm)) {
    const { Namespace, MetricName, Dimensions, Period, Statistic: Stat } = alarm
    return { expression: 'm', metrics: [{ Id: 'm', Metric: { Namespace, MetricName, Dimensions }, Period, Stat }] }
  }
  const [expression] = alarm.Metrics.flatMap((query) => ('Expression' in query ? [query.Expression] : []))
  const metrics = alarm.Metrics.flatMap((query) =>
    'MetricStat' in query ? [{ Id: query.Id, ...query.MetricStat }] : [],
  )
  return { expression: expression ?? '', metrics }
}

/** Keys of the metrics that an alarm looks at. */
export const watchedBy = (alarm: AlarmProperties): string[] =>
  metricsOf(alarm).metrics.map(({ Metric }) => keyOfMetric(Metric))

const keyOfMetric = ({ Namespace, MetricName, Dimensions }: v.InferOutput<v.ObjectSchema<typeof Source, undefined>>) =>
  keyOf(Namespace, MetricName, Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])))

/**
 * Values of the periods that end at `minute`, the oldest first. They are no five minutes of the clock: the window slides.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html
 */
const datapointsOf = (alarm: AlarmProperties, recorded: RecordedMetrics, minute: number): Series => {
  const { expression, metrics } = metricsOf(alarm)
  const period = (metrics[0]?.Period ?? 60) / 60
  const length = alarm.EvaluationPeriods + MORE_PERIODS
  const starts = Array.from({ length }, (_, index) => minute - (length - index) * period)
  const series = Object.fromEntries(
    metrics.map(({ Id, Metric, Stat }) => {
      const key = keyOfMetric(Metric)
      const values = starts.map((from) => recorded.statistic(key, Stat, from, Math.min(from + period, minute - DELAY)))
      return [Id, values]
    }),
  )
  return calculate(expression, series)
}

/** What an alarm makes of its datapoints, the oldest first; `before` is the state that it was in. */
export const stateOf = (
  {
    EvaluationPeriods,
    DatapointsToAlarm,
    Threshold,
    ComparisonOperator,
    TreatMissingData,
  }: Pick<AlarmProperties, keyof typeof Rules>,
  datapoints: Series,
  before: State,
): State => {
  const there = datapoints.filter((value) => value !== undefined)
  const missing = Math.max(0, EvaluationPeriods - there.length)
  if (missing > 0 && TreatMissingData === 'ignore') return before
  const breaches = (value: number) =>
    ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold
  const breaching = there.slice(-EvaluationPeriods).filter(breaches).length
  const filled = TreatMissingData === 'breaching' ? missing : 0
  return breaching + filled >= DatapointsToAlarm ? 'ALARM' : 'OK'
}

/** The states of an alarm, minute by minute. */
export const statesOf = (alarm: AlarmProperties, recorded: RecordedMetrics, from: number, until: number): State[] => {
  const states: State[] = []
  let state: State = 'INSUFFICIENT_DATA'
  for (let minute = from; minute <= until; minute++) {
    state = stateOf(alarm, datapointsOf(alarm, recorded, minute), state)
    states.push(state)
  }
  return states
}
