/**
 * The calls that IAM sees for a command of the AWS SDK: each action on each resource, with the values of condition
 * keys.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Call } from './policy.ts'

type Item = Record<string, AttributeValue>

/** The inputs of all commands, as far as they matter here. */
export interface CommandInput {
  TableName?: string
  IndexName?: string
  Key?: Item
  Item?: Item
  KeyConditionExpression?: string
  ExpressionAttributeValues?: Item
  RequestItems?: Record<string, { Keys?: Item[] }>
  TransactItems?: Partial<Record<TransactPart, CommandInput>>[]
  QueueUrl?: string
  KeyId?: string
  EncryptionContext?: Record<string, string>
}

/**
 * TransactWriteItems is not an action for IAM, but its parts are.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
const TRANSACT_ACTIONS = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
} as const

type TransactPart = keyof typeof TRANSACT_ACTIONS

/**
 * `commandName` is the name of the command's class, `service` the prefix of its actions. Tables, queues and keys have
 * their own names.
 */
export const callsOf = (service: Service, commandName: string, input: CommandInput): Call[] => {
  const action = commandName.replace(/Command$/, '')
  if (service === 'sqs')
    return [{ action: `sqs:${action.replace(/Batch$/, '')}`, resource: input.QueueUrl ?? '', context: {} }]
  if (service === 'kms') return [kmsCall(action, input)]
  if (action === 'BatchGetItem')
    return Object.entries(input.RequestItems ?? {}).map(([table, { Keys = [] }]) =>
      tableCall(action, table, Keys.map(partitionOf)),
    )
  if (action === 'TransactWriteItems') return (input.TransactItems ?? []).flatMap(transactCalls)
  const { TableName = '', IndexName } = input
  const resource = IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`
  return [tableCall(action, resource, leadingKeys(input))]
}

export type Service = 'dynamodb' | 'sqs' | 'kms'

const tableCall = (action: string, resource: string, keys: string[]): Call => ({
  action: `dynamodb:${action}`,
  resource,
  context: keys.length === 0 ? {} : { 'dynamodb:LeadingKeys': keys },
})

const kmsCall = (action: string, { KeyId = '', EncryptionContext = {} }: CommandInput): Call => ({
  action: `kms:${action}`,
  resource: KeyId,
  context: Object.fromEntries(
    Object.entries(EncryptionContext).map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]]),
  ),
})

const transactCalls = (parts: Partial<Record<TransactPart, CommandInput>>): Call[] =>
  Object.entries(TRANSACT_ACTIONS).flatMap(([part, action]) => {
    const input = parts[part as TransactPart]
    return input === undefined ? [] : [tableCall(action, input.TableName ?? '', leadingKeys(input))]
  })

const partitionOf = ({ pk }: Item): string => pk?.S ?? ''

/** None of a scan, which has no key. */
const leadingKeys = ({ Key, Item, KeyConditionExpression, ExpressionAttributeValues }: CommandInput): string[] => {
  const item = Key ?? Item
  if (item !== undefined) return [partitionOf(item)]
  // A query's partition is the only one that it compares with `=`.
  const placeholder = KeyConditionExpression?.match(/^\S+ = (:\w+)/)?.[1]
  return placeholder === undefined ? [] : [ExpressionAttributeValues?.[placeholder]?.S ?? '']
}
