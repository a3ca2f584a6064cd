/** Makes the statements of a role from a function's `permissions` in serverless.yml. */
import type { Conditions, Statement } from './policy.ts'

/**
 * IAM's names of the actions in `permissions`. Getting one item includes BatchGetItem; receiving a message includes
 * deleting it.
 */
export const TABLE_ACTIONS = {
  get: ['GetItem', 'BatchGetItem'],
  query: ['Query'],
  put: ['PutItem'],
  update: ['UpdateItem'],
  delete: ['DeleteItem'],
}
const QUEUE_ACTIONS = {
  send: ['SendMessage'],
  count: ['GetQueueAttributes'],
  receive: ['ReceiveMessage', 'DeleteMessage'],
}
const DATA_KEY_ACTIONS = { seal: ['GenerateDataKey'], open: ['Decrypt'] }

export const ACTIONS = [
  ...Object.keys({ ...TABLE_ACTIONS, ...QUEUE_ACTIONS, ...DATA_KEY_ACTIONS }),
  ...['query-index', 'describe'],
]

/** What is not named is not allowed. */
export interface Permission {
  /** One of ACTIONS. */
  action: string
  /**
   * Patterns of the table's partition keys (access/keys.ts), where `*` stands for any text; logical ids of queues or
   * keys; names of indexes; or whose data keys: `agents`, `organizations`.
   */
  names: readonly string[]
}

/** The statements for permissions, some of which may be equal. */
export const statementsOf = (permissions: readonly Permission[]): Statement[] => {
  const namesOf = (action: string): string[] => [
    ...new Set(permissions.flatMap((permission) => (permission.action === action ? permission.names : []))),
  ]
  /** Actions with the same names share a statement: the policies of a role have at most 10,240 characters in all. */
  const alike = (actions: Record<string, string[]>) => {
    const allowed = Object.entries(actions).map(([action, ofIam]) => ({ names: namesOf(action), ofIam }))
    const groups = Map.groupBy(allowed, ({ names }) => String(names))
    groups.delete('')
    return [...groups.values()].map((group) => ({
      actions: group.flatMap(({ ofIam }) => ofIam),
      names: group[0]?.names ?? [],
    }))
  }
  return [
    ...alike(TABLE_ACTIONS).map(({ actions, names }) => ({
      ...allow('dynamodb', actions, arnOf('Table')),
      Condition: ofKeys(names),
    })),
    ...namesOf('query-index').map((index) =>
      allow('dynamodb', ['Query'], { 'Fn::Sub': `\${Table.Arn}/index/${index}` }),
    ),
    ...alike(QUEUE_ACTIONS).map(({ actions, names }) => allow('sqs', actions, names.map(arnOf))),
    ...namesOf('describe').map((key) => allow('kms', ['DescribeKey'], arnOf(key))),
    ...alike(DATA_KEY_ACTIONS).map(({ actions, names }) => ({
      ...allow('kms', actions, arnOf('SealingKey')),
      Condition: ofScopes(names),
    })),
  ]
}

export const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] })

export const allow = (service: string, actions: readonly string[], Resource: unknown): Statement => ({
  Effect: 'Allow',
  Action: actions.map((action) => `${service}:${action}`),
  Resource,
})

/**
 * `ForAllValues` alone holds for a request without a key too.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
const ofKeys = (keys: string[]): Conditions => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
  Null: { 'dynamodb:LeadingKeys': 'false' },
})

/**
 * What the encryption context binds data keys to (lib/store/data-keys.ts).
 * https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-encryption-context
 */
const SCOPE = 'kms:EncryptionContext:scope'

const ORGANIZATION = '@org|*'

const ofScopes = (scopes: string[]): Conditions => {
  if (!scopes.includes('agents')) return { StringLike: { [SCOPE]: ORGANIZATION } }
  const named = { Null: { [SCOPE]: 'false' } }
  return scopes.includes('organizations') ? named : { StringNotLike: { [SCOPE]: ORGANIZATION }, ...named }
}
