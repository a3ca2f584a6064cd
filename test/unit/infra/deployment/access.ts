/** What each function may do on AWS: enough for what it loads, and no more. */
import { describe, expect, test } from 'vitest'
import { allPermissionsOf, permissionsOf } from '../../../../infra/access/permissions.ts'
import { allows, resourceName, type Statement } from '../../../../infra/roles/policy.ts'
import { statementsOf as madeOf } from '../../../../infra/roles/statements.ts'
import { type FunctionDefinition, splitHandler } from '../../../../infra/service.ts'
import { OPERATIONS } from '../../../../lib/interface/operations.ts'
import { functionIdOf } from '../../../support/stage/api-document.ts'
import { ofType } from '../../../support/stage/template.ts'
import { modulesOf } from './imports.ts'
import { defaultTimeout, functions, grown, resources } from './packaged.ts'
import { ofFunctions, roleIdOf, statementsIn } from './packaged-roles.ts'

/** What functions that only read may do. */
const READ = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']

/**
 * What Lambda itself needs: of logs and traces for every function, of streams and queues for those that they invoke.
 */
const LAMBDAS_OWN = /^(logs|xray):|^dynamodb:(GetRecords|GetShardIterator|DescribeStream|ListStreams)$/
const OF_QUEUES = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']
const isLambdasOwn = (Action: string[]): boolean =>
  Action.every((action) => LAMBDAS_OWN.test(action)) || String(Action) === String(OF_QUEUES)

/** Where Lambda says which changes it has given up. */
const ON_FAILURE = 'DispatchFailures'

/**
 * They read documents of third parties: by Credo, with the guarded client, and store the last seen version of a log.
 */
const RESOLVERS = ['getSchemaById', 'getCredentialDefinitionById', 'resolveDid']
/** It signs what it reads. */
const SIGNS = 'getStatusList'

/** All statements of the function's role. */
const allStatementsOf = (key: string): Statement[] => statementsIn(resources, key)

/** Statements of the function's role, Lambda's own left out. */
const statementsOf = (key: string): Statement[] =>
  allStatementsOf(key).filter(
    ({ Action, Resource }) =>
      !isLambdasOwn(Action) && !(resourceName(Resource) === ON_FAILURE && Action.includes('sqs:SendMessage')),
  )

const actionsOf = (key: string): string[] => statementsOf(key).flatMap(({ Action }) => Action)

const loadedBy = ({ handler }: FunctionDefinition): Set<string> => modulesOf(`${splitHandler(handler).module}.ts`)

/** Functions that load a module. */
const whoLoad = (module: string): string[] =>
  Object.entries(functions).flatMap(([key, definition]) => (loadedBy(definition).has(module) ? [key] : []))

const who = (may: RegExp, statements = statementsOf): string[] =>
  Object.keys(functions).filter((key) => statements(key).some(({ Action }) => Action.some((one) => may.test(one))))

const without = (keys: string[], others: string[]): string[] => keys.filter((key) => !others.includes(key))

const readers = (): string[] => {
  const reading = OPERATIONS.filter(({ method, writes }) => method === 'GET' && !writes)
  return Object.entries(functions).flatMap(([key, { events = [] }]) =>
    events.some(({ http }) => reading.some(({ path }) => path === http?.path && http?.method === 'get')) ? [key] : [],
  )
}

describe('roles', () => {
  test('every function has one of its own, and there is no other', () => {
    const roles = Object.keys(functions).map((key) => roleIdOf(resources, key))
    expect(new Set(roles).size).toBe(Object.keys(functions).length)
    expect(ofFunctions(resources).toSorted()).toEqual(roles.toSorted())
  })

  test('have no names of their own: CloudFormation makes them, in the 64 characters that IAM takes', () => {
    for (const [, { Properties }] of ofType(resources, 'AWS::IAM::Role'))
      expect(Properties).not.toHaveProperty('RoleName')
  })

  test('can be assumed only by Lambda', () => {
    for (const id of ofFunctions(resources))
      expect(resources[id]?.Properties.AssumeRolePolicyDocument).toEqual({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
      })
  })

  test('have policies of a size that IAM takes', () => {
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: of a role, without white space.
    const LONGEST_ARN = 'x'.repeat(200)
    for (const id of ofFunctions(resources)) {
      const text = JSON.stringify(resources[id]?.Properties.Policies).replace(
        /\{"Fn::\w+":("[^"]+"|\[[^\]]+\])\}/g,
        LONGEST_ARN,
      )
      expect({ id, fits: text.length < 10_240 }).toEqual({ id, fits: true })
    }
  })

  test('allow what the functions use', () => {
    for (const [key, { permissions }] of Object.entries(functions))
      expect(statementsOf(key)).toEqual(madeOf(allPermissionsOf(permissions)))
  })

  test.each(['get nothing', 'get', 'take connection', 'Sending', '', 'toString', 'get toString'])(
    'are not made of "%s"',
    (entry) => expect(() => permissionsOf(entry)).toThrow(),
  )
})

describe('every permission', () => {
  test('is to named actions on named resources', () => {
    for (const key of Object.keys(functions)) {
      for (const { Effect, Action, Resource } of statementsOf(key)) {
        expect(Effect).toBe('Allow')
        for (const action of Action) expect(action).toMatch(/^\w+:\w+$/)
        for (const resource of [Resource].flat()) expect(resourceName(resource)).toMatch(/^\w+(\/index\/due)?$/)
      }
    }
  })

  test('to the table is to some keys, and to none without a key', () => {
    for (const key of Object.keys(functions))
      for (const statement of statementsOf(key).filter(({ Resource }) => resourceName(Resource) === 'Table')) {
        const { Null, ...others } = statement.Condition ?? {}
        expect(Null).toEqual({ 'dynamodb:LeadingKeys': 'false' })
        expect(others).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': expect.any(Array) } })
        expect(allows([statement], { action: statement.Action[0] ?? '', resource: 'Table', context: {} })).toBe(false)
      }
  })

  test('to the sealing key is the same for opening as for sealing, and bound to a scope', () => {
    const may = (key: string, action: string, scope?: string) =>
      allows(statementsOf(key), {
        action: `kms:${action}`,
        resource: 'SealingKey',
        context: scope === undefined ? {} : { 'kms:EncryptionContext:scope': [scope] },
      })
    const users = who(/^kms:(GenerateDataKey|Decrypt)$/)
    expect(users.length).toBeGreaterThan(5)
    for (const key of users) for (const action of ['GenerateDataKey', 'Decrypt']) expect(may(key, action)).toBe(false)
    for (const scope of ['acme', '@base', '@org|acme'])
      for (const key of users) if (may(key, 'GenerateDataKey', scope)) expect(may(key, 'Decrypt', scope)).toBe(true)
    for (const key of ['deliver', 'deliverSlowly']) {
      expect(may(key, 'Decrypt', '@org|acme')).toBe(true)
      expect(may(key, 'Decrypt', 'acme')).toBe(false)
    }
    for (const key of ['sendMessage', 'createRequest', 'createOffer', 'receiveDidcomm']) {
      expect(may(key, 'Decrypt', '@base')).toBe(true)
      expect(may(key, 'Decrypt', '@org|acme')).toBe(false)
    }
  })

  test('of Lambda’s own is to the function’s log group, its traces, and what invokes it', () => {
    const ownOf = (key: string, service: string) =>
      allStatementsOf(key)
        .filter(({ Action }) => isLambdasOwn(Action) && Action.some((action) => action.startsWith(service)))
        .map(({ Action, Resource }) => [Action, [Resource].flat().map(resourceName)])
    for (const key of Object.keys(functions)) {
      expect(ownOf(key, 'logs:')).toEqual([
        [['logs:CreateLogStream', 'logs:PutLogEvents'], [expect.stringMatching(/LogGroup$/)]],
      ])
      const id = `${key.replace(/^./, (letter) => letter.toUpperCase())}LambdaFunction`
      expect(ownOf(key, 'xray:')).toHaveLength(resources[id]?.Properties.TracingConfig === undefined ? 0 : 1)
    }
    const receiving = Object.fromEntries(
      who(/./, allStatementsOf).flatMap((key) => ownOf(key, 'sqs:').map(([, queues]) => [key, queues])),
    )
    expect(receiving).toEqual({
      deliver: ['WakeUpQueue'],
      deliverSlowly: ['SlowWakeUpQueue'],
      wake: ['TimerQueue'],
      runJobs: ['JobQueue'],
      removeOwned: ['RemovalQueue'],
    })
    const failing = Object.keys(functions).filter((key) =>
      allStatementsOf(key).some(
        ({ Action, Resource }) => resourceName(Resource) === ON_FAILURE && Action.includes('sqs:SendMessage'),
      ),
    )
    expect(failing).toEqual(['dispatchChanges'])
    const streaming = Object.keys(functions).filter((key) => ownOf(key, 'dynamodb:').length > 0)
    expect(streaming).toEqual(['dispatchChanges'])
  })
})

test('no function may scan, or change the table itself', () => {
  expect(who(/Scan|PartiQL|Table|Export|Backup/)).toEqual([])
})

describe('functions that only read', () => {
  test('are those of every GET', () => {
    expect(readers().length).toBeGreaterThan(5)
  })

  test('may neither write, nor unseal, nor send', () => {
    for (const key of without(readers(), [...RESOLVERS, SIGNS]))
      expect({ key, more: without(actionsOf(key), READ) }).toEqual({ key, more: [] })
    for (const key of RESOLVERS) expect(without(actionsOf(key), READ)).toEqual(['dynamodb:PutItem'])
    expect(without(actionsOf(SIGNS), READ)).toEqual(['kms:Decrypt'])
  })
})

describe('a function’s permissions match its modules', () => {
  test('only functions that load the table may read it; the sweep reads its index, and lists of what waits; it writes lanes and a heartbeat', () => {
    expect(who(/^dynamodb:(GetItem|Query)$/).toSorted()).toEqual(whoLoad('lib/store/table.ts').toSorted())
    const reading = statementsOf('sweepOutbox').filter(({ Action }) =>
      Action.some((one) => one.startsWith('dynamodb:')),
    )
    expect(reading.map(({ Action, Resource }) => [Action, resourceName(Resource)])).toEqual([
      [['dynamodb:GetItem', 'dynamodb:BatchGetItem'], 'Table'],
      [['dynamodb:Query'], 'Table'],
      [['dynamodb:PutItem'], 'Table'],
      [['dynamodb:UpdateItem'], 'Table'],
      [['dynamodb:Query'], 'Table/index/due'],
    ])
  })

  const mayOf = (key: string, pk: string) =>
    ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'].filter((action) =>
      allows(statementsOf(key), {
        action: `dynamodb:${action}`,
        resource: 'Table',
        context: { 'dynamodb:LeadingKeys': [pk] },
      }),
    )

  test('the authorizer may look whether a tenant exists, and which keys an issuer has, and nothing else', () => {
    expect(actionsOf('authorizer')).toEqual(['dynamodb:GetItem', 'dynamodb:BatchGetItem'])
    for (const pk of ['@tenant|acme', '@issuer-keys|hash']) expect(mayOf('authorizer', pk)).toEqual(['GetItem'])
    expect(mayOf('authorizer', 'acme|key|k1')).toEqual([])
  })

  test('every function with the table may read the version of its layout, and none may write it', () => {
    const users = who(/^dynamodb:/)
    expect(users.length).toBeGreaterThan(5)
    for (const key of users) expect({ key, may: mayOf(key, '@layout') }).toEqual({ key, may: ['GetItem'] })
  })

  test.each<[string, string, string[]]>([
    ['deliver', 'acme|ConnectionRecord|c1', ['GetItem', 'Query', 'UpdateItem', 'DeleteItem']],
    ['deliver', 'acme|ConnectionRecord|c1|lane', ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem']],
    ['deliver', '@destination|d', ['GetItem', 'UpdateItem']],
    ['deliver', 'acme|CredentialRecord|c1', []],
    ['deliver', 'acme|ProofRecord|p1', []],
    ['deliverSlowly', '@destination|d', ['GetItem', 'UpdateItem']],
    ['createTenant', '@org|acme', []],
    ['createTenant', '@org|acme|tenants', ['PutItem']],
  ])('%s may do with %s what it does, although a neighbour of it is more open', (key, pk, actions) => {
    expect(mayOf(key, pk)).toEqual(actions)
  })

  test('the function that confirms issuers’ keys may only read and write these', () => {
    expect(actionsOf('confirmIssuerKeys')).toEqual(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PutItem'])
    expect(mayOf('confirmIssuerKeys', '@issuer-keys|hash')).toEqual(['GetItem', 'PutItem'])
    expect(mayOf('confirmIssuerKeys', '@tenant|acme')).toEqual([])
  })

  test('functions that commit may put', () => {
    expect(without(whoLoad('lib/store/commit.ts'), who(/^dynamodb:PutItem$/))).toEqual([])
  })

  test('the dispatcher adds items, and changes only how often it has begun', () => {
    expect(mayOf('dispatchChanges', '@dispatch|1')).toEqual(['UpdateItem'])
    expect(mayOf('dispatchChanges', '@outbox|acme|e|r')).toEqual(['PutItem'])
  })

  test('only functions that load data keys may use the sealing key', () => {
    expect(who(/^kms:(GenerateDataKey|Decrypt)$/)).toEqual(without(whoLoad('lib/store/data-keys.ts'), RESOLVERS))
    expect(who(/^kms:DescribeKey$/)).toEqual(['sweepOutbox'])
  })

  test('who delivers wakes whatever there is; who manages endpoints, what waits for them', () => {
    const queuesOf = (key: string) =>
      statementsOf(key)
        .filter(({ Action }) => Action.includes('sqs:SendMessage'))
        .flatMap(({ Resource }) => [Resource].flat().map(resourceName))
    expect(queuesOf('dispatchChanges')).toEqual(['WakeUpQueue'])
    for (const key of ['deleteWebhookEndpoint', 'enableWebhookEndpoint']) expect(queuesOf(key)).toEqual(['TimerQueue'])
    for (const key of ['deliver', 'wake'])
      expect(queuesOf(key).toSorted()).toEqual(['SlowWakeUpQueue', 'TimerQueue', 'WakeUpQueue'])
    expect(queuesOf('deliverSlowly')).toEqual(['SlowWakeUpQueue', 'TimerQueue'])
    expect(queuesOf('sweepOutbox')).toEqual(['WakeUpQueue', 'TimerQueue', 'JobQueue', 'RemovalQueue'])
    expect(queuesOf('runJobs')).toContain('JobQueue')
    expect(queuesOf('removeOwned')).toEqual(['RemovalQueue'])
    expect(without(who(/^sqs:/), whoLoad('lib/outbox/wake-ups/queues.ts'))).toEqual([])
  })

  test('the functions that connect to third parties are known', () => {
    const known = Object.keys(functions).filter((key) =>
      functions[key]?.permissions.some((one) =>
        ['sending', 'sends', 'makes-keys', 'resolves', 'registries'].includes(one),
      ),
    )
    expect(without(whoLoad('lib/egress/post.ts'), known)).toEqual([
      'receivePresentation',
      ...['deliver', 'deliverSlowly', 'confirmIssuerKeys'],
    ])
  })

  test('functions without calls of AWS have no permissions', () => {
    for (const key of ['openapi', 'health']) expect(actionsOf(key)).toEqual([])
  })
})

test('functions with Credo have a whole processor, and at least twice the timeout', () => {
  const loading = whoLoad('lib/agent/credo/index.ts')
  expect(loading.length).toBeGreaterThan(20)
  for (const key of loading) {
    const { MemorySize, Timeout } = Object(resources[functionIdOf(key)]?.Properties)
    expect({ key, MemorySize, enough: Timeout >= 2 * defaultTimeout }).toEqual({ key, MemorySize: 1769, enough: true })
  }
})

describe('a function’s settings match its modules', () => {
  const told = (name: string, of = functions) =>
    Object.keys(of).filter((key) => of[key]?.environment?.[name] !== undefined)
  const packedWith = (name: string) =>
    Object.keys(grown.functions).filter((key) => grown.functions[key]?.packed?.[name] !== undefined)

  test('only functions that verify tokens or confirm keys have the issuers; none in its environment', () => {
    expect(packedWith('TOKEN_ISSUERS')).toEqual([...whoLoad('lib/auth/token.ts'), 'confirmIssuerKeys'])
    expect(told('TOKEN_ISSUERS', grown.functions)).toEqual([])
  })

  test('functions that request proofs have the trusted contexts, not in their environment', () => {
    expect(packedWith('TRUSTED_CONTEXTS')).toEqual(['createRequest', 'requestProof', 'acceptProofProposal'])
    expect(told('TRUSTED_CONTEXTS', grown.functions)).toEqual([])
  })

  test('functions that read AnonCreds objects have the Indy proxies, not in their environment', () => {
    // They load all protocols, and come to no step that reads objects.
    const others = [
      ...['sendMessage', 'createRequest', 'createDid', 'resolveDid', 'createInvitation', 'createLegacyInvitation'],
      ...['receiveImplicitInvitation', 'acceptConnectionRequest', 'proposeCredential', 'declineCredentialOffer'],
      ...['requestProof', 'proposeProof', 'acceptProofProposal', 'declineProofRequest', 'acceptPresentation'],
      ...['deleteCredential', 'deleteProof'],
    ]
    expect(packedWith('INDY_PROXIES')).toEqual(without(whoLoad('lib/agent/formats/anoncreds/indy-ledgers.ts'), others))
    expect(packedWith('INDY_PROXIES')).toContain('receiveDidcomm')
    expect(told('INDY_PROXIES', grown.functions)).toEqual([])
  })

  test('functions that receive offers and requests have the base agent’s settings for them', () => {
    const accepting = Object.entries(grown.functions).flatMap(([key, { environment = {} }]) => {
      const { AUTO_ACCEPT_OFFERS: offers, AUTO_ACCEPT_PROOF_REQUESTS: proofRequests } = environment
      return offers === undefined && proofRequests === undefined ? [] : [{ key, offers, proofRequests }]
    })
    const receiving = ['receiveInvitation', 'receiveInvitationUrl', 'acceptInvitation', 'acceptConnectionResponse']
    expect(accepting).toEqual(
      [...receiving, 'receiveDidcomm'].map((key) => ({ key, offers: 'true', proofRequests: 'false' })),
    )
  })

  test('functions that count requests to a tenant have its rate', () => {
    expect(told('TENANT_RATE')).toEqual(['receiveDidcomm', 'authorizer'])
    for (const key of told('TENANT_RATE')) expect(grown.functions[key]?.environment?.TENANT_RATE).toBe('7')
  })

  test('functions that create jobs for AnonCreds’ library have the setting for it', () => {
    expect(told('ANONCREDS')).toEqual(['revokeCredential', 'createCredentialDefinition'])
    for (const key of told('ANONCREDS')) {
      expect(functions[key]?.environment?.ANONCREDS).toBe('on')
      expect(grown.functions[key]?.environment?.ANONCREDS).toBe('off')
    }
  })

  test.each([
    ['WAKE_UP_QUEUE_URL', 'WakeUpQueue'],
    ['SLOW_WAKE_UP_QUEUE_URL', 'SlowWakeUpQueue'],
    ['TIMER_QUEUE_URL', 'TimerQueue'],
    ['JOB_QUEUE_URL', 'JobQueue'],
    ['REMOVAL_QUEUE_URL', 'RemovalQueue'],
  ])('only functions that may send to a queue have its URL: %s', (name, queue) => {
    const send = { action: 'sqs:SendMessage', resource: queue, context: {} }
    const senders = Object.keys(functions).filter((key) => allows(statementsOf(key), send))
    expect(told(name).toSorted()).toEqual(senders.toSorted())
  })
})
