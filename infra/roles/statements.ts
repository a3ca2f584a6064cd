/** Makes the statements of a role from the rights that `uses` in serverless.yml says. */
import type { Conditions, Statement } from './policy.ts'

const TABLE_ACTIONS = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] as const
const QUEUE_ACTIONS = ['SendMessage', 'GetQueueAttributes', 'ReceiveMessage'] as const
const KMS_ACTIONS = ['GenerateDataKey', 'Decrypt'] as const
type TableAction = (typeof TABLE_ACTIONS)[number]
type QueueAction = (typeof QUEUE_ACTIONS)[number]
type KmsAction = (typeof KMS_ACTIONS)[number]

/** Whose data keys: what the encryption context binds them to (lib/store/data-keys.ts). */
type Scope = 'agents' | 'organizations'

/** Rights that belong together. What is not named is not allowed. */
export type Access = {
  /**
   * Patterns of partition keys (lib/store/keys.ts); `*` stands for any text. To get one item is to get several at once
   * (BatchGetItem).
   */
  [Action in TableAction]?: string[]
} & {
  [Action in KmsAction]?: Scope[]
} & {
  /** Logical ids of keys. */
  DescribeKey?: string[]
  /** Names of indexes. */
  QueryIndex?: string[]
} & {
  /** Logical ids of queues. To receive a message is to delete it, too. */
  [Action in QueueAction]?: string[]
}

/** Of the rights of a role, which may say the same. */
export const statementsOf = (rights: Access[]): Statement[] => {
  const access = joined(rights)
  return [
    ...alike(TABLE_ACTIONS, access).map(({ actions, values }) => ({
      ...allow('dynamodb', actions.flatMap(actionsOnTable), arnOf('Table')),
      Condition: ofKeys(values),
    })),
    ...(access.QueryIndex ?? []).map((index) =>
      allow('dynamodb', ['Query'], { 'Fn::Sub': `\${Table.Arn}/index/${index}` }),
    ),
    ...alike(QUEUE_ACTIONS, access).map(({ actions, values }) =>
      allow('sqs', actions.flatMap(actionsOnQueue), values.map(arnOf)),
    ),
    ...(access.DescribeKey ?? []).map((key) => allow('kms', ['DescribeKey'], arnOf(key))),
    ...alike<KmsAction, Scope>(KMS_ACTIONS, access).map(({ actions, values }) => ({
      ...allow('kms', actions, arnOf('SealingKey')),
      Condition: ofScopes(values),
    })),
  ]
}

const actionsOnTable = (action: TableAction): string[] =>
  action === 'GetItem' ? ['GetItem', 'BatchGetItem'] : [action]

const actionsOnQueue = (action: QueueAction): string[] =>
  action === 'ReceiveMessage' ? ['ReceiveMessage', 'DeleteMessage'] : [action]

const joined = (rights: Access[]): Access => {
  const actions = [...new Set(rights.flatMap((access) => Object.keys(access)))] as (keyof Access)[]
  return Object.fromEntries(
    actions.map((action) => [action, [...new Set(rights.flatMap((access) => access[action] ?? []))]]),
  )
}

export const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] })

export const allow = (service: string, actions: readonly string[], Resource: unknown): Statement => ({
  Effect: 'Allow',
  Action: actions.map((action) => `${service}:${action}`),
  Resource,
})

/** Actions with the same values share a statement: the policies of a role have at most 10,240 characters in all. */
const alike = <A extends string, T extends string>(actions: readonly A[], access: Partial<Record<A, T[]>>) => {
  const groups = new Map<string, { actions: A[]; values: T[] }>()
  for (const action of actions) {
    const values = access[action]
    if (values === undefined) continue
    const group = groups.get(String(values)) ?? { actions: [], values }
    group.actions.push(action)
    groups.set(String(values), group)
  }
  return [...groups.values()]
}

/**
 * `ForAllValues` alone holds for a request without a key too.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
const ofKeys = (keys: string[]): Conditions => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
  Null: { 'dynamodb:LeadingKeys': 'false' },
})

/** https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-encryption-context */
const SCOPE = 'kms:EncryptionContext:scope'

const ORGANIZATION = '@org|*'

const ofScopes = (scopes: Scope[]): Conditions => {
  if (!scopes.includes('agents')) return { StringLike: { [SCOPE]: ORGANIZATION } }
  const named = { Null: { [SCOPE]: 'false' } }
  return scopes.includes('organizations') ? named : { StringNotLike: { [SCOPE]: ORGANIZATION }, ...named }
}
