/** What an idle stage costs, in US dollars a month at the list prices of us-east-1: the one place where that is computed. */
import { ofType, type Resource } from '../../../infra/service.ts'

export interface CostRow {
  what: string
  /** Number and description of the items. */
  count: string
  dollars: number
  /** With the free tier that does not end after a year. */
  withFree: number
}

const MINUTES = 30 * 24 * 60

/** Lambda asks a queue with five long polls of 20 s. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
const POLLS = 15 * MINUTES
const QUEUES_COUNTED = MINUTES / 5

/** https://aws.amazon.com/kms/pricing, /sqs/pricing, /dynamodb/pricing/on-demand, /lambda/pricing, /cloudwatch/pricing */
const PRICES = {
  key: 1,
  request: { standard: 0.4 / 1e6, fifo: 0.5 / 1e6, free: 1e6 },
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  invocation: 0.2 / 1e6,
  gigabyteSecond: 13.33 / 1e6,
  gigabyteOfLog: 0.5,
  metricInAlarm: { each: 0.1, free: 10 },
}

/** One in five minutes through the stream: read and written twice, and an invocation like a sweep. */
const HEARTBEAT = { readUnits: 2, writeUnits: 2 }

/** Of one sweep that finds nothing: 16 queries of the index, 100 ms at 512 MB, and Lambda's own lines. */
const SWEEP = { readUnits: 16 * 0.5, gigabyteSeconds: 0.1 * 0.5, logBytes: 600 }

export const idleCost = (resources: Record<string, Resource>): CostRow[] => {
  const idOf = (arn: unknown): string => Object(arn)['Fn::GetAtt']?.[0] ?? ''
  const polled = ofType(resources, 'AWS::Lambda::EventSourceMapping')
    .map(([, { Properties }]) => resources[idOf(Properties.EventSourceArn)])
    .filter((source) => source?.Type === 'AWS::SQS::Queue')
  const fifo = polled.filter((queue) => queue?.Properties.FifoQueue === true).length
  const deadLetters = ofType(resources, 'AWS::SQS::Queue').length - polled.length
  const requests = { fifo: fifo * POLLS, standard: (polled.length - fifo) * POLLS + deadLetters * QUEUES_COUNTED }
  const polling = requests.fifo * PRICES.request.fifo + requests.standard * PRICES.request.standard
  const keys = ofType(resources, 'AWS::KMS::Key').length
  // Each alarm looks at one metric (readAlarm).
  const metrics = ofType(resources, 'AWS::CloudWatch::Alarm').length
  const reads = MINUTES * SWEEP.readUnits * PRICES.readUnit
  const invocation =
    PRICES.invocation + SWEEP.gigabyteSeconds * PRICES.gigabyteSecond + (SWEEP.logBytes / 1e9) * PRICES.gigabyteOfLog
  const heartbeats = MINUTES / 5
  const beats = heartbeats * (HEARTBEAT.readUnits * PRICES.readUnit + HEARTBEAT.writeUnits * PRICES.writeUnit)
  return [
    { what: 'keys of KMS', count: `${keys}`, dollars: keys * PRICES.key, withFree: keys * PRICES.key },
    {
      ...{ what: 'queues that Lambda asks for messages', count: `${polled.length}, ${fifo} of them FIFO` },
      ...{ dollars: polling, withFree: polling - PRICES.request.free * PRICES.request.standard },
    },
    {
      what: 'the sweep',
      count: `${MINUTES.toLocaleString('en')} runs`,
      dollars: reads + MINUTES * invocation,
      withFree: reads,
    },
    {
      ...{ what: 'the heartbeat of the stream', count: `${heartbeats.toLocaleString('en')}` },
      ...{ dollars: beats + heartbeats * invocation, withFree: beats },
    },
    {
      ...{ what: 'metrics in alarms', count: `${metrics}` },
      dollars: metrics * PRICES.metricInAlarm.each,
      withFree: Math.max(0, metrics - PRICES.metricInAlarm.free) * PRICES.metricInAlarm.each,
    },
  ]
}
