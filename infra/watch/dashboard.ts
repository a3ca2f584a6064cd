/** The dashboard: requests, deliveries, exchanges, what waits, and what costs. */
import { FINAL_STATES, FORMATS, METRICS } from '../../lib/metrics.ts'
import type { Resource } from '../service.ts'
import type { Metric } from './alarm.ts'
import { api, exchanges, filtered, lambda, own, table } from './metrics.ts'

interface Line {
  metric: Metric
  label: string
  /** Instead of the metric's own, such as `p99`. */
  statistic?: string
}

interface Graph {
  title: string
  lines: Line[]
  /** Metric math over `m1`, `m2`, ... which are hidden then. */
  expressions?: { expression: string; label: string }[]
  stacked?: true
}

/** Columns of CloudWatch's grid, and of a graph. */
const GRID = 24
const WIDTH = 8
const HEIGHT = 6

const lineOf = ({ metric, label, statistic }: Line, index: number, hidden: boolean): unknown[] => [
  metric.namespace,
  metric.name,
  ...Object.entries(metric.dimensions ?? {}).flatMap(([name, value]) => [name, textOf(value)]),
  { id: `m${index + 1}`, label, stat: statistic ?? metric.statistic, ...(hidden && { visible: false }) },
]

/** A reference as `Fn::Sub` has it. */
const textOf = (value: NonNullable<Metric['dimensions']>[string]): string => {
  if (typeof value === 'string') return value
  return 'Ref' in value ? `\${${value.Ref}}` : `\${${value['Fn::GetAtt'].join('.')}}`
}

const widgetOf = ({ title, lines, expressions = [], stacked }: Graph, index: number) => ({
  type: 'metric',
  x: (index * WIDTH) % GRID,
  y: HEIGHT + Math.floor((index * WIDTH) / GRID) * HEIGHT,
  width: WIDTH,
  height: HEIGHT,
  properties: {
    title,
    ...{ region: `\${AWS::Region}`, period: 300, view: 'timeSeries', stacked: stacked === true },
    metrics: [
      ...lines.map((line, number) => lineOf(line, number, expressions.length > 0)),
      ...expressions.map((expression, number) => [{ ...expression, id: `e${number + 1}` }]),
    ],
  },
})

const graphs = (stack: string, stage: string): Graph[] => {
  const requests = (name: string, statistic: Metric['statistic']) => api(name, statistic, stack, stage)
  return [
    {
      title: 'Requests',
      lines: [
        { metric: requests('Count', 'SampleCount'), label: 'all' },
        { metric: requests('4XXError', 'Sum'), label: '4xx' },
        { metric: requests('5XXError', 'Sum'), label: '5xx' },
      ],
    },
    {
      title: 'Latency, ms',
      lines: ['p50', 'p99', 'Maximum'].map((statistic) => ({
        ...{ metric: requests('Latency', 'Maximum'), label: statistic, statistic },
      })),
    },
    {
      title: 'Messages to wallets',
      lines: [
        { metric: own('MessagesDelivered'), label: 'delivered' },
        { metric: own('MessagesGivenUp'), label: 'given up' },
      ],
    },
    {
      title: 'Events to endpoints',
      lines: [
        { metric: own('EventsDelivered'), label: 'delivered' },
        { metric: own('EventsGivenUp'), label: 'given up' },
      ],
    },
    {
      title: 'Destinations',
      lines: [
        { metric: own('DestinationsClosed'), label: 'closed' },
        { metric: own('EndpointDisabled'), label: 'endpoints disabled' },
        { metric: own('WakeUpsDead'), label: 'wake-ups dead' },
        { metric: own('ChangesParked'), label: 'changes parked' },
      ],
    },
    {
      title: 'Exchanges ended',
      stacked: true,
      lines: FORMATS.flatMap((format) =>
        FINAL_STATES.map((state) => ({
          ...{ metric: exchanges(format, state), label: `${format} ${state}` },
        })),
      ),
    },
    {
      title: 'What waits',
      lines: [
        { metric: own('OutboxWaiting', 'Maximum'), label: 'lanes' },
        { metric: own('OutboxDue', 'Maximum'), label: 'due' },
      ],
    },
    {
      title: 'How long it has waited, minutes',
      lines: [
        { metric: own('OutboxWaitingAge', 'Maximum'), label: 'waiting' },
        { metric: own('OutboxDueAge', 'Maximum'), label: 'due' },
      ],
      expressions: [
        { expression: 'm1 / 60000', label: 'waiting' },
        { expression: 'm2 / 60000', label: 'due' },
      ],
    },
    {
      title: 'Cost: read and write units',
      lines: [
        { metric: table('ConsumedWriteCapacityUnits'), label: 'write units' },
        { metric: table('ConsumedReadCapacityUnits'), label: 'read units' },
      ],
    },
    {
      // Of all functions of the account: Lambda has no such sum of one stack.
      title: 'Cost: seconds of Lambda in the account',
      lines: [{ metric: lambda('Duration', 'Sum'), label: 'seconds' }],
      expressions: [{ expression: 'm1 / 1000', label: 'seconds' }],
    },
    {
      title: 'Concurrency of the account',
      lines: [
        { metric: lambda('ConcurrentExecutions', 'Maximum'), label: 'running' },
        { metric: lambda('Throttles', 'Sum'), label: 'throttled' },
      ],
    },
  ]
}

/** Every metric of the service that no other graph shows: a new one is there by itself. */
const faults = (stack: string, others: Graph[]): Graph => {
  const shown = new Set(others.flatMap(({ lines }) => lines.map(({ metric }) => metric.name)))
  const isMissing = (name: string): name is keyof typeof METRICS => name in METRICS && !shown.has(name)
  return {
    title: 'Faults',
    lines: [
      ...Object.keys(METRICS)
        .filter(isMissing)
        .map((name) => ({ metric: own(name), label: name })),
      { metric: filtered(stack, 'FunctionCrashes'), label: 'FunctionCrashes' },
    ],
  }
}

/** By its name: emulators know no attribute `Arn` of an alarm. */
const arnOf = (id: string): string =>
  `arn:\${AWS::Partition}:cloudwatch:\${AWS::Region}:\${AWS::AccountId}:alarm:\${${id}}`

/** `alarms`: their logical ids. */
export const dashboard = ({ stack, stage, alarms }: { stack: string; stage: string; alarms: string[] }): Resource => {
  const states = {
    ...{ type: 'alarm', x: 0, y: 0, width: GRID, height: HEIGHT },
    properties: { title: 'Alarms', alarms: alarms.map(arnOf) },
  }
  const others = graphs(stack, stage)
  const widgets = [states, ...[...others, faults(stack, others)].map(widgetOf)]
  return {
    Type: 'AWS::CloudWatch::Dashboard',
    Properties: { DashboardName: stack, DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets }) } },
  }
}
