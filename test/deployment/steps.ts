/**
 * What an operator does with a stage from the first day on, and what has to hold after it: in this order, each on what
 * the last one left.
 */
import { strict as assert } from 'node:assert'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { handlerOf } from '../support/source/operation-functions.ts'
import { DeployedStage } from './answers.ts'
import { runBackground } from './background.ts'
import { deployedFunctions } from './functions.ts'
import { WITH_ADDRESS } from './operator.ts'
import { PLANTED } from './planted.ts'
import { failsWith, required, type Step, succeeds } from './step.ts'
import { UPDATES } from './update-steps.ts'
import { STACK, type World } from './world.ts'

/** A resource that is made after table and key: it reads the table's stream. */
const FAILING_RESOURCE = 'DispatchChangesEventSourceMappingDynamodbTable'

/** Seconds for which a stack rolls back: the failed command ends after it. */
const ROLLBACK = 3

const NEW_ACCOUNT = { concurrency: 10 }

/** What functions do at least, amid what they do. */
const EXPECTED_ACTIONS = {
  createTenant: 'dynamodb:PutItem',
  registerWebhook: 'kms:GenerateDataKey',
  createInvitation: 'kms:GenerateDataKey',
  getConnections: 'dynamodb:Query',
  dispatchChanges: 'sqs:SendMessage',
  deliver: 'dynamodb:UpdateItem',
  deliverSlowly: 'dynamodb:UpdateItem',
  wake: 'sqs:SendMessage',
  runJobs: 'dynamodb:GetItem',
  removeOwned: 'dynamodb:GetItem',
  sweepOutbox: 'dynamodb:Query',
}

/** The settings by which a stack uses the first one's data. */
const existing = ({ known }: World) => ({
  EXISTING_TABLE: required(known.table, 'table'),
  EXISTING_KEY: required(known.key, 'key'),
})

const FIRST: Step[] = [
  {
    title: 'doctor finds the limits of a new account, and nothing else',
    run: async ({ operator }) => {
      const { code, lines } = await operator.doctor()
      assert.equal(code, 0, lines.join('\n'))
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(lines[0] ?? '', /^warning concurrency: the account runs 10 concurrent functions/)
    },
  },
  {
    title: 'settings that are wrong end a deployment before anything is made',
    run: async (world) => {
      failsWith(await world.operator.deploy({ PUBLIC_URL: '' }), /PUBLIC_URL: is not set/)
      assert.equal(await world.stack(), undefined)
    },
  },
  {
    title: 'a first deployment that fails half-way leaves no table, no key and no queue',
    run: async (world) => {
      await world.aws.set({ ...NEW_ACCOUNT, fails: FAILING_RESOURCE, rollback: ROLLBACK })
      failsWith(await world.operator.deployFromSource(), new RegExp(`${FAILING_RESOURCE} can't be made`))
      assert.equal((await world.stack())?.status, 'UPDATE_ROLLBACK_COMPLETE')
      assert.deepEqual([await world.tables(), await world.keys(), await world.queues()], [[], [], []])
    },
  },
  {
    title: 'the second try creates all resources, with the table protected against deletion',
    run: async (world) => {
      await world.aws.set(NEW_ACCOUNT)
      succeeds(await world.operator.deploy())
      const { status, outputs } = (await world.stack()) ?? {}
      assert.equal(status, 'UPDATE_COMPLETE')
      world.known.table = required(outputs?.TableName, 'output TableName')
      world.known.key = required(outputs?.SealingKeyArn, 'output SealingKeyArn')
      world.known.api = required((await world.ids()).ApiGatewayRestApi, 'API')
      assert.equal(await world.isProtected(world.known.table), true)
      assert.deepEqual(await world.keys(), [world.known.key])
    },
  },
  {
    title: "deliveries leave operations at least half of the account's concurrency, and the alarm is on at 80 % of it",
    run: async (world) => {
      // Of the two queues whose functions deliver, by the stack's part in their names.
      const most = (await world.sources()).flatMap(({ source, most = Number.POSITIVE_INFINITY }) =>
        /-prod-(slow-)?wake-ups-[0-9a-f]{8}\.fifo$/.test(source) ? most : [],
      )
      assert.equal(most.length, 2)
      assert.ok(most.every((one) => one >= 2) && most.reduce((sum, one) => sum + one, 0) <= 5, `${most}`)
      assert.equal(await world.threshold('ConcurrencyAlarm'), 0.8 * NEW_ACCOUNT.concurrency)
    },
  },
  {
    title:
      'every operation answers from its deployed zip, on the table and the key that were made, within its deployed role',
    run: async ({ aws }) => {
      const stage = await DeployedStage.of(aws, STACK)
      const failures: string[] = []
      for (const { operationId } of OPERATIONS)
        try {
          const { statusCode, body } = await stage.ask(operationId)
          if (statusCode >= 500) failures.push(`${operationId}: ${statusCode} ${body}`)
        } catch (error) {
          failures.push(`${operationId}: ${error instanceof Error ? error.message : error}`)
        }
      assert.deepEqual(failures, [], failures.join('\n'))
    },
  },
  {
    title:
      'a tenant, its webhook and an invitation are made, dispatched and delivered by deployed zips within their roles',
    run: async (world) => {
      const { made, functions } = await runBackground(world)
      const operations = OPERATIONS.map(({ operationId }) => handlerOf(operationId))
      const keys = [...functions].map(({ name }) => name.slice(STACK.length + 1))
      assert.deepEqual(
        keys.filter((key) => !operations.includes(key) && !made.has(key)),
        [],
      )
      // A function that sends no request tests no role.
      for (const [functionKey, action] of Object.entries(EXPECTED_ACTIONS))
        assert.ok(made.get(functionKey)?.has(action), `${functionKey} has not asked for ${action}`)
    },
  },
]

const LATER: Step[] = [
  {
    title: 'redrive finds table and queue of the stage',
    run: async ({ operator }) => {
      assert.match(succeeds(await operator.redrive()), /0 changes were dispatched/)
    },
  },
  {
    title: '`serverless info` shows the address and the functions, and `serverless package` changes nothing on AWS',
    run: async (world) => {
      const before = await world.traces()
      const shown = succeeds(await world.operator.info())
      assert.ok(shown.includes(`https://${world.known.api}.execute-api.eu-central-1.`), shown)
      assert.match(shown, /^\s+createRequest: serverless-agent-prod-createRequest/m)
      assert.match(succeeds(await world.operator.package()), /Service packaged/)
      assert.deepEqual(await world.traces(), before)
    },
  },
  {
    title: 'an update keeps data, key and address',
    run: async (world) => {
      const { table = '', key, api } = world.known
      await world.putItem(table)
      succeeds(await world.operator.deploy({ AGENT_LABEL: 'Another' }))
      const { outputs } = (await world.stack()) ?? {}
      assert.deepEqual([outputs?.TableName, outputs?.SealingKeyArn], [table, key])
      assert.equal((await world.ids()).ApiGatewayRestApi, api)
      assert.ok(await world.hasItem(table))
      assert.ok(
        (await deployedFunctions(world.aws, STACK)).some(({ environment }) => environment.AGENT_LABEL === 'Another'),
      )
    },
  },
  {
    title:
      'an update that wallets would not find, or that no function could hold, is rejected before anything is created',
    run: async (world) => {
      const before = await world.traces()
      failsWith(
        await world.operator.deploy({ PUBLIC_URL: 'https://new.example.org' }),
        /wallets keep https:\/\/agent\.ex/,
      )
      const long = await world.operator.deploy({ AGENT_LABEL: 'x'.repeat(5000) })
      failsWith(long, /AGENT_LABEL is the largest, make it shorter/)
      assert.doesNotMatch(long.output, /Packaging/)
      assert.deepEqual(await world.traces(), before)
    },
  },
  {
    title: 'an update that would start with another table is rejected before anything is created',
    run: async (world) => {
      failsWith(await world.operator.deploy({ TABLE_NAME: 'another' }), /has no fixed name: leave TABLE_NAME out/)
      assert.deepEqual(await world.tables(), [world.known.table])
    },
  },
  {
    title: 'a table of another layout is rejected before anything is created, and nothing reads it',
    run: async (world) => {
      const { table = '' } = world.known
      const layout = required(await world.layout(table), 'version of the layout')
      const before = await world.traces()
      await world.setLayout(table, '0')
      const flaw = /the table has layout version 0, not \d+; this version starts with an empty one/
      failsWith(await world.operator.deploy({ AGENT_LABEL: 'Third' }), flaw)
      assert.deepEqual(await world.traces(), before)
      const { statusCode } = await (await DeployedStage.of(world.aws, STACK)).ask('GetConnections')
      assert.equal(statusCode, 503)
      await world.setLayout(table, layout)
    },
  },
  {
    title: 'a larger account gives deliveries more concurrency, with the next deployment',
    run: async (world) => {
      await world.aws.set({ concurrency: 1000 })
      assert.deepEqual((await world.operator.doctor()).lines, [])
      succeeds(await world.operator.deploy())
      const most = (await world.sources()).flatMap(({ most }) => most ?? [])
      assert.equal(Math.max(...most), 355)
    },
  },
  {
    title: 'the same deployment again uploads nothing and updates nothing',
    run: async (world) => {
      succeeds(await world.operator.deploy(WITH_ADDRESS))
      const before = await world.traces()
      assert.match(succeeds(await world.operator.deploy(WITH_ADDRESS)), /No changes to deploy/)
      assert.deepEqual(await world.traces(), before)
    },
  },
]

const AGAIN: Step[] = [
  {
    title: 'removing the stack keeps table and key, and says how to use them again',
    run: async (world) => {
      const { table = '', key = '' } = world.known
      const output = succeeds(await world.operator.remove())
      assert.ok(output.includes(`EXISTING_TABLE=${table} EXISTING_KEY=${key}`), output)
      assert.equal(await world.stack(), undefined)
      assert.deepEqual([await world.tables(), await world.keys(), await world.queues()], [[table], [key], []])
    },
  },
  {
    title: 'doctor finds the table that is left, and wrong settings for its use',
    run: async (world) => {
      const { EXISTING_TABLE, EXISTING_KEY } = existing(world)
      const { lines } = await world.operator.doctor()
      assert.deepEqual(lines.length, 1, lines.join('\n'))
      assert.ok(lines[0]?.startsWith(`fault tables: ${EXISTING_TABLE}: left of an earlier stack`), lines[0])
      failsWith(
        await world.operator.deploy(),
        /start with an empty table: EXISTING_TABLE and EXISTING_KEY use it again/,
      )
      assert.equal(await world.stack(), undefined)
      const other = EXISTING_KEY.replace(/[^/]+$/, '00000000-0000-0000-0000-000000000000')
      const wrong = await world.operator.doctor({ EXISTING_TABLE, EXISTING_KEY: other })
      assert.equal(wrong.code, 1)
      assert.match(wrong.lines.join('\n'), /was sealed with .*set EXISTING_KEY to that\n.*there is no such key/)
    },
  },
  {
    title: 'a new stack uses the old table with what is in it, its stream and the old key',
    run: async (world) => {
      const { EXISTING_TABLE: table, EXISTING_KEY: key } = existing(world)
      assert.deepEqual((await world.operator.doctor(existing(world))).lines, [])
      succeeds(await world.operator.deploy(existing(world)))
      assert.deepEqual([await world.tables(), await world.keys()], [[table], [key]])
      assert.ok(await world.hasItem(table))
      assert.equal(await world.isProtected(table), true)
      const stream = await world.streamOf(table)
      assert.ok((await world.sources()).some(({ source }) => source === stream))
      for (const { name, environment } of await deployedFunctions(world.aws, STACK))
        assert.deepEqual(
          [name, environment.TABLE_NAME, key.endsWith(`/${environment.KMS_KEY_ID}`)],
          [name, table, true],
        )
    },
  },
  {
    title: 'an update that forgets the old table is rejected before anything is created',
    run: async (world) => {
      const { EXISTING_TABLE } = existing(world)
      failsWith(await world.operator.deploy(), new RegExp(`set EXISTING_TABLE=${EXISTING_TABLE} EXISTING_KEY=arn:`))
      assert.deepEqual(await world.tables(), [EXISTING_TABLE])
    },
  },
]

const LAST: Step[] = [
  {
    title: 'doctor looks at certificate, zone and domain of the address before they are made',
    run: async (world) => {
      const domain = (name: string, certificate: string, zone: string) => ({
        ...existing(world),
        ...{ PUBLIC_URL: '', DOMAIN_NAME: name, CERTIFICATE_ARN: certificate, HOSTED_ZONE_ID: zone },
        ALLOW_NEW_ADDRESS: 'true',
      })
      const certificate = await world.certificate('agent.example.org')
      const zone = await world.zone('example.org')
      assert.deepEqual((await world.operator.doctor(domain('agent.example.org', certificate, zone))).lines, [])
      await world.leaveDomain('other.example.net')
      const { code, lines } = await world.operator.doctor(domain('other.example.net', certificate, zone))
      assert.equal(code, 1)
      assert.equal(lines.length, 3, lines.join('\n'))
      assert.match(lines[0] ?? '', /^fault certificate: .* is for agent\.example\.org, not for other\.example\.net/)
      assert.match(lines[1] ?? '', /^fault domain: other\.example\.net already exists, and no stack has it/)
      assert.match(lines[2] ?? '', /^fault hosted zone: .* is example\.org, which other\.example\.net is not in/)
      const gone = certificate.replace(/[^/]+$/, '00000000-0000-0000-0000-000000000000')
      const none = await world.operator.doctor(domain('agent.example.org', gone, 'Z0'))
      assert.match(none.lines.join('\n'), /there is no such certificate in eu-central-1.*\n.*there is no such zone/)
    },
  },
  {
    title: 'doctor finds what was removed from the account',
    run: async (world) => {
      await world.setCloudWatchRole('arn:aws:iam::123456789012:role/gone')
      const { code, lines } = await world.operator.doctor(existing(world))
      assert.equal(code, 1)
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(lines[0] ?? '', /^fault CloudWatch role of API Gateway: .*role\/gone is set but does not exist/)
      failsWith(await world.operator.deploy(existing(world)), /role\/gone is set but does not exist/)
    },
  },
  {
    title: 'without credentials doctor says so, and reports nothing that it could not check',
    run: async ({ operator }) => {
      const { code, lines } = await operator.doctor({ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' })
      assert.equal(code, 1)
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(lines[0] ?? '', /^fault credentials: AWS rejects them: log in/)
    },
  },
  {
    title: 'doctor finds each error of the deployed stage that a change by hand has caused',
    run: async (world) => {
      const ids = await world.ids()
      for (const [, plant] of PLANTED) await plant(world, ids)
      const { code, lines } = await world.operator.doctor(existing(world))
      assert.equal(code, 1)
      for (const [line] of PLANTED)
        assert.ok(
          lines.some((one) => line.test(one)),
          `${line}: ${lines.join('\n')}`,
        )
    },
  },
]

export const STEPS: readonly Step[] = [...FIRST, ...LATER, ...UPDATES, ...AGAIN, ...LAST]
