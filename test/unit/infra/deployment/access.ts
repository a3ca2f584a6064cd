/** What each function may do on AWS: enough for what it loads, and no more. */
import { describe, expect, test } from 'vitest'
import { type FunctionDefinition, splitHandler } from '../../../../infra/service.ts'
import { OPERATIONS } from '../../../../lib/interface/operations.ts'
import { modulesOf } from '../../../support/stage/imports.ts'
import { ofType } from '../../../support/stage/template.ts'
import { functions, grown, REGION, resources } from './packaged.ts'

interface Statement {
  Effect: string
  Action: string[]
  Resource: unknown
  Condition?: unknown
}

const READ = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']

/** What Lambda itself needs: of logs and traces for every function, of streams and queues for those that they invoke. */
const LAMBDAS_OWN =
  /^(logs|xray):|^dynamodb:(GetRecords|GetShardIterator|DescribeStream|ListStreams)$|^sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes)$/

/** Only how often the dispatch of a change was begun. */
const TRIES = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['@dispatch|*'] } }

/** Only whether tenants exist, and the keys of issuers. */
const TENANTS_AND_KEYS = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['@tenant|*', '@issuer-keys|*'] } }
const KEYS = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['@issuer-keys|*'] } }

/** Functions that commit messages; that open or end what lanes wait for; that do the outbox's work. */
const SENDERS = ['sendMessage', 'createOffer', 'receiveDidcomm']
const MANAGERS = ['deleteWebhookEndpoint', 'enableWebhookEndpoint']
const DELIVERERS = ['deliver', 'deliverSlowly', 'wake', 'sweepOutbox', 'recoverWakeUps']

const attributeOf = (value: unknown): string => {
  const [resource, attribute] = (value as { 'Fn::GetAtt'?: string[] })['Fn::GetAtt'] ?? []
  return `${resource}.${attribute}`
}

/** Of a table, a queue or a key; or of the index, whose name is after that of its table. */
const nameOf = (value: unknown): string => {
  const text = (value as { 'Fn::Sub'?: string })['Fn::Sub']
  return text === undefined ? attributeOf(value) : text.replace(/^\$\{(\w+\.Arn)\}/, '$1')
}

const roleOf = (key: string): string => {
  const id = `${key.replace(/^./, (letter) => letter.toUpperCase())}LambdaFunction`
  return attributeOf(resources[id]?.Properties.Role).replace(/\.Arn$/, '')
}

/** Statements of the function's role, Lambda's own left out. */
const statementsOf = (key: string): Statement[] => {
  const policies = resources[roleOf(key)]?.Properties.Policies as {
    PolicyDocument: { Statement: Statement[] }
  }[]
  return policies
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map((statement) => ({ ...statement, Action: [statement.Action].flat() }))
    .filter(({ Action }) => !Action.every((action) => LAMBDAS_OWN.test(action)))
}

const actionsOf = (key: string): string[] => statementsOf(key).flatMap(({ Action }) => Action)

const loadedBy = ({ handler }: FunctionDefinition): Set<string> => modulesOf(`${splitHandler(handler).module}.ts`)

/** Functions that load a module. */
const whoLoad = (module: string): string[] =>
  Object.entries(functions).flatMap(([key, definition]) => (loadedBy(definition).has(module) ? [key] : []))

const who = (may: RegExp): string[] =>
  Object.keys(functions).filter((key) => actionsOf(key).some((action) => may.test(action)))

const without = (keys: string[], others: string[]): string[] => keys.filter((key) => !others.includes(key))

const readers = (): string[] => {
  const reading = OPERATIONS.filter(({ method }) => method === 'GET')
  return Object.entries(functions).flatMap(([key, { events = [] }]) =>
    events.some(({ http }) => reading.some(({ path }) => path === http?.path && http?.method === 'get')) ? [key] : [],
  )
}

test('every function has a role of its own', () => {
  const roles = Object.keys(functions).map(roleOf)
  expect(new Set(roles).size).toBe(Object.keys(functions).length)
  for (const role of roles) expect(resources).toHaveProperty([role, 'Type'], 'AWS::IAM::Role')
})

test('every right is to named actions on named resources', () => {
  for (const key of Object.keys(functions)) {
    for (const { Effect, Action, Resource } of statementsOf(key)) {
      expect(Effect).toBe('Allow')
      for (const action of Action) expect(action).toMatch(/^\w+:\w+$/)
      for (const resource of [Resource].flat()) expect(nameOf(resource)).toMatch(/^\w+\.Arn(\/index\/due)?$/)
    }
  }
})

test('nobody may scan, or change the table itself', () => {
  expect(who(/Scan|PartiQL|Table|Export|Backup/)).toEqual([])
})

describe('functions that only read', () => {
  test('are those of every GET', () => {
    expect(readers().length).toBeGreaterThan(5)
  })

  test('may neither write, nor open what is sealed, nor send', () => {
    for (const key of readers()) expect({ key, more: without(actionsOf(key), READ) }).toEqual({ key, more: [] })
  })
})

describe('what a function loads is what it may do', () => {
  test('who loads the table may read it, and nobody else; the sweep reads its index, and lists of what waits', () => {
    const readers = without(whoLoad('lib/store/table.ts'), ['sweepOutbox'])
    expect(who(/^dynamodb:GetItem$/)).toEqual(readers)
    for (const key of without(readers, ['authorizer', 'confirmIssuerKeys']))
      expect(actionsOf(key)).toEqual(expect.arrayContaining(READ))
    const reading = statementsOf('sweepOutbox').filter(({ Action }) =>
      Action.some((one) => one.startsWith('dynamodb:')),
    )
    expect(reading.map(({ Action, Resource }) => [Action, nameOf(Resource)])).toEqual([
      [['dynamodb:Query'], 'Table.Arn/index/due'],
      [['dynamodb:Query'], 'Table.Arn'],
    ])
  })

  const mayOf = (key: string) =>
    statementsOf(key).map((statement) => ({ ...statement, Resource: attributeOf(statement.Resource) }))

  test('the authorizer may look whether a tenant exists, and which keys an issuer has, and nothing else', () => {
    expect(mayOf('authorizer')).toEqual([
      { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: 'Table.Arn', Condition: TENANTS_AND_KEYS },
    ])
  })

  test('who confirms the keys of issuers may read and write these, and nothing else', () => {
    expect(mayOf('confirmIssuerKeys')).toEqual([
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
        Resource: 'Table.Arn',
        Condition: KEYS,
      },
    ])
  })

  test('who commits may put; who may delete commits, or keeps the outbox', () => {
    expect(without(whoLoad('lib/store/commit.ts'), who(/^dynamodb:PutItem$/))).toEqual([])
    const deleting = who(/^dynamodb:(DeleteItem|ConditionCheckItem)$/)
    const keeping = [...whoLoad('lib/outbox/waiting-list.ts'), ...whoLoad('lib/outbox/timer.ts')]
    expect(without(deleting, [...whoLoad('lib/store/commit.ts'), ...keeping])).toEqual([])
    expect(deleting).not.toContain('dispatchChanges')
  })

  test('the dispatcher adds items, and changes only how often it has begun', () => {
    const changing = statementsOf('dispatchChanges').filter(({ Action }) => Action.includes('dynamodb:UpdateItem'))
    expect(changing).toMatchObject([{ Action: ['dynamodb:UpdateItem'], Condition: TRIES }])
  })

  test('who loads data keys may use the sealing key, and nobody else', () => {
    expect(who(/^kms:/)).toEqual(whoLoad('lib/store/data-keys.ts'))
  })

  test('a data key is made for a scope only', () => {
    for (const key of who(/^kms:GenerateDataKey$/))
      for (const { Action, Condition } of statementsOf(key))
        if (Action.includes('kms:GenerateDataKey'))
          expect(Condition).toEqual({ Null: { 'kms:EncryptionContext:scope': 'false' } })
  })

  test('who commits messages wakes their lanes; who delivers, or manages endpoints, wakes whatever there is', () => {
    const queuesOf = (key: string) =>
      statementsOf(key)
        .filter(({ Action }) => Action.includes('sqs:SendMessage'))
        .flatMap(({ Resource }) => [Resource].flat().map(attributeOf))
    for (const key of ['sendMessage', 'createOffer', 'receiveDidcomm'])
      expect(queuesOf(key)).toEqual(['WakeUpQueue.Arn'])
    expect(queuesOf('dispatchChanges')).toEqual(['WakeUpQueue.Arn', 'DispatchFailures.Arn'])
    const all = ['WakeUpQueue.Arn', 'SlowWakeUpQueue.Arn', 'TimerQueue.Arn']
    for (const key of [...MANAGERS, ...DELIVERERS]) expect(queuesOf(key)).toEqual(all)
    const others = without(Object.keys(functions), [...SENDERS, ...MANAGERS, ...DELIVERERS, 'dispatchChanges'])
    expect(others.flatMap(queuesOf)).toEqual([])
    expect(without(who(/^sqs:/), whoLoad('lib/outbox/queues.ts'))).toEqual([])
  })

  test('who may be sent to an address of strangers is known', () => {
    const known = [...SENDERS, 'createRequest', 'confirmIssuerKeys']
    expect(without(whoLoad('lib/egress/post.ts'), known)).toEqual(['deliver', 'deliverSlowly'])
  })

  test('who asks nothing of AWS may nothing', () => {
    for (const key of ['openapi', 'health']) expect(actionsOf(key)).toEqual([])
  })
})

describe('what a function loads is what it is told', () => {
  const told = (name: string, of = functions) =>
    Object.keys(of).filter((key) => of[key]?.environment?.[name] !== undefined)
  const packedWith = (name: string) =>
    Object.keys(grown.functions).filter((key) => grown.functions[key]?.packed?.[name] !== undefined)

  test('who verifies tokens or confirms keys knows the issuers, and nobody else; none by its environment', () => {
    expect(packedWith('TOKEN_ISSUERS')).toEqual([...whoLoad('lib/auth/token.ts'), 'confirmIssuerKeys'])
    expect(told('TOKEN_ISSUERS', grown.functions)).toEqual([])
  })

  test('who asks for proofs knows the contexts that are trusted, and not by its environment', () => {
    expect(packedWith('TRUSTED_CONTEXTS')).toEqual(['createRequest'])
    expect(told('TRUSTED_CONTEXTS', grown.functions)).toEqual([])
  })

  test('who may send to a queue knows its address, and nobody else', () => {
    const everywhere = [...MANAGERS, ...DELIVERERS].sort()
    expect(told('WAKE_UP_QUEUE_URL').sort()).toEqual([...SENDERS, 'dispatchChanges', ...everywhere].sort())
    expect(told('SLOW_WAKE_UP_QUEUE_URL').sort()).toEqual(everywhere)
    expect(told('TIMER_QUEUE_URL').sort()).toEqual(everywhere)
  })
})

test('roles have names that IAM takes', () => {
  const names = ofType(resources, 'AWS::IAM::Role').flatMap(([, { Properties }]) => {
    const name = Properties.RoleName as undefined | string | { 'Fn::Join': [string, unknown[]] }
    // CloudFormation names it.
    if (name === undefined) return []
    if (typeof name === 'string') return name
    const [separator, parts] = name['Fn::Join']
    return parts.map((part) => (typeof part === 'string' ? part : REGION)).join(separator)
  })
  expect(new Set(names).size).toBe(Object.keys(functions).length + 1)
  expect(names.filter((name) => name.length > 64)).toEqual([])
})
