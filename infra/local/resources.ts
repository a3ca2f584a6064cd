/** Creates the tables and queues of the service's CloudFormation resources, and resolves references to them. */
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import * as v from 'valibot'
import { getAttOf, isObject, ofType, type Resource } from '../service.ts'

/** A created resource, with its values of `Ref` and `Fn::GetAtt`. */
export interface Created {
  id: string
  name: string
  ref: string
  attributes: Record<string, string>
}

const KeySchema = v.array(v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }))

const Index = v.object({
  IndexName: v.string(),
  KeySchema,
  Projection: v.object({
    ProjectionType: v.picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']),
    NonKeyAttributes: v.optional(v.array(v.string())),
  }),
})

const Table = v.object({
  TableName: v.optional(v.string()),
  BillingMode: v.literal('PAY_PER_REQUEST'),
  AttributeDefinitions: v.array(v.object({ AttributeName: v.string(), AttributeType: v.picklist(['S', 'N', 'B']) })),
  KeySchema,
  GlobalSecondaryIndexes: v.optional(v.array(Index)),
  StreamSpecification: v.object({
    StreamViewType: v.picklist(['NEW_AND_OLD_IMAGES', 'NEW_IMAGE', 'OLD_IMAGE', 'KEYS_ONLY']),
  }),
})

const createTable = async (
  dynamodb: DynamoDBClient,
  id: string,
  properties: unknown,
  stageName: string,
): Promise<Created> => {
  const { StreamSpecification, TableName = stageName, ...table } = v.parse(Table, properties)
  const specification = { StreamEnabled: true, ...StreamSpecification }
  try {
    await dynamodb.send(new CreateTableCommand({ ...table, TableName, StreamSpecification: specification }))
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
    await addIndexes(dynamodb, TableName, table)
  }
  const { Table: description } = await dynamodb.send(new DescribeTableCommand({ TableName }))
  const attributes = { Arn: description?.TableArn ?? '', StreamArn: description?.LatestStreamArn ?? '' }
  return { id, name: TableName, ref: TableName, attributes }
}

/** A table of an earlier version lacks newer indexes. They can be added one at a time. */
const addIndexes = async (
  dynamodb: DynamoDBClient,
  TableName: string,
  {
    AttributeDefinitions,
    GlobalSecondaryIndexes = [],
  }: Pick<v.InferOutput<typeof Table>, 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>,
): Promise<void> => {
  const { Table: existing } = await dynamodb.send(new DescribeTableCommand({ TableName }))
  const names = new Set(existing?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName))
  for (const Create of GlobalSecondaryIndexes.filter(({ IndexName }) => !names.has(IndexName)))
    await dynamodb.send(
      new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create }] }),
    )
}

const Queue = v.looseObject({
  /** On AWS it may be an expression with the stack's name. */
  QueueName: v.optional(v.unknown()),
  RedrivePolicy: v.optional(v.object({ deadLetterTargetArn: v.unknown(), maxReceiveCount: v.number() })),
})

/** Attributes that fauxqs accepts only when it creates a queue. */
const FIFO_ATTRIBUTES = new Set(['FifoQueue', 'DeduplicationScope', 'FifoThroughputLimit'])

/** SQS takes every attribute as a string. */
const asAttributes = (properties: [string, unknown][]): Record<string, string> =>
  Object.fromEntries(properties.map(([name, value]) => [name, String(value)]))

const redrive = (policy: v.InferOutput<typeof Queue>['RedrivePolicy'], created: Created[]): Record<string, string> => {
  if (policy === undefined) return {}
  const deadLetterTargetArn = resolve(policy.deadLetterTargetArn, created)
  return { RedrivePolicy: JSON.stringify({ ...policy, deadLetterTargetArn }) }
}

const createQueue = async (
  sqs: SQSClient,
  endpoint: string,
  id: string,
  properties: unknown,
  stageName: string,
  created: Created[],
): Promise<Created> => {
  const { QueueName: name, RedrivePolicy, ...others } = v.parse(Queue, properties)
  const QueueName = typeof name === 'string' ? name : `${stageName}-${id}${others.FifoQueue ? '.fifo' : ''}`
  const [fifo, settable] = partition(Object.entries(others), ([name]) => FIFO_ATTRIBUTES.has(name))
  // The host that fauxqs returns may not resolve, and the path is enough to find a queue.
  const QueueUrl = `${endpoint}/000000000000/${QueueName}`
  // In two steps, because a queue of an earlier start may have other values, which creating it again does not change.
  await sqs.send(new CreateQueueCommand({ QueueName, Attributes: asAttributes(fifo) }))
  const Attributes = { ...asAttributes(settable), ...redrive(RedrivePolicy, created) }
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }))
  const queue = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }))
  return { id, name: QueueName, ref: QueueUrl, attributes: { Arn: queue.Attributes?.QueueArn ?? '', QueueName } }
}

const partition = <T>(items: T[], belongs: (item: T) => boolean): [T[], T[]] => [
  items.filter(belongs),
  items.filter((item) => !belongs(item)),
]

export interface LocalServices {
  dynamodb: DynamoDBClient
  sqs: SQSClient
  sqsEndpoint: string
  /** Service and stage. Resources without a name are named after it, so they are the same at each start. */
  stageName: string
}

/** Creates what does not exist yet; dead-letter queues first, because other queues refer to them. */
export const createResources = async (
  resources: Record<string, Resource>,
  { dynamodb, sqs, sqsEndpoint, stageName }: LocalServices,
): Promise<{ tables: Created[]; queues: Created[] }> => {
  const tables = await Promise.all(
    ofType(resources, 'AWS::DynamoDB::Table').map(([id, { Properties }]) =>
      createTable(dynamodb, id, Properties, stageName),
    ),
  )
  const queues: Created[] = []
  const deadLettersFirst = ofType(resources, 'AWS::SQS::Queue').toSorted(
    ([, a], [, b]) => Number('RedrivePolicy' in a.Properties) - Number('RedrivePolicy' in b.Properties),
  )
  for (const [id, { Properties }] of deadLettersFirst)
    queues.push(await createQueue(sqs, sqsEndpoint, id, Properties, stageName, queues))
  return { tables, queues }
}

/**
 * The value of a reference to one of `created`, or `value` itself if it is not a reference. Undefined: the resource
 * does not exist here.
 */
export const resolve = (value: unknown, created: Created[]): unknown => {
  if (!isObject(value)) return value
  const [id, attribute] = getAttOf(value) ?? [value.Ref, undefined]
  const resource = created.find((candidate) => candidate.id === id)
  return attribute === undefined ? resource?.ref : resource?.attributes[attribute]
}
