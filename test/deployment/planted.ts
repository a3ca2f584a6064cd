/** Changes of a deployed stage behind CloudFormation's back, each with the line in which doctor reports it. */
import { strict as assert } from 'node:assert'
import { DynamoDBClient, UpdateTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import { DeleteRolePolicyCommand, IAMClient } from '@aws-sdk/client-iam'
import { KMSClient, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms'
import {
  LambdaClient,
  UpdateEventSourceMappingCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda'
import { zipSync } from 'fflate'
import { required } from './step.ts'
import { STACK, type World } from './world.ts'

type Ids = Record<string, string>

/** A request of AWS's query protocol, for services without a client here. */
const query = async ({ aws }: World, service: string, parameters: Record<string, string>): Promise<void> => {
  const authorization = `AWS4-HMAC-SHA256 Credential=emulated/20260101/eu-central-1/${service}/aws4_request`
  const body = new URLSearchParams(parameters)
  const { ok } = await fetch(aws.endpoint, { method: 'POST', headers: { authorization }, body })
  assert.ok(ok, `${parameters.Action} fails`)
}

/** The id of one of several resources. */
const oneOf = (ids: Ids, pattern: RegExp): string =>
  required(Object.entries(ids).find(([id]) => pattern.test(id))?.[1], `resource ${pattern}`)

const SOURCE = /^DeliverEventSourceMapping/
const ALARM = /Alarm$/

export const PLANTED: readonly [line: RegExp, plant: (world: World, ids: Ids) => Promise<unknown>][] = [
  [
    /^fault drift: DeliverEventSourceMapping\w+ \([0-9a-f-]+\) was changed at \/Enabled: /,
    ({ aws }, ids) =>
      new LambdaClient(aws.clientConfig).send(
        new UpdateEventSourceMappingCommand({ UUID: oneOf(ids, SOURCE), Enabled: false }),
      ),
  ],
  [
    /^fault drift: WakeLambdaFunction \(\S+-wake\) was changed at \/Environment: /,
    ({ aws }) => {
      const Environment = { Variables: { TABLE_NAME: 'another' } }
      return new LambdaClient(aws.clientConfig).send(
        new UpdateFunctionConfigurationCommand({ FunctionName: `${STACK}-wake`, Environment }),
      )
    },
  ],
  [
    /^fault code: \S+-health was changed: deploy again, with `--force`/,
    ({ aws }) => {
      const ZipFile = zipSync({ 'index.mjs': Buffer.from('export const health = () => {}') })
      return new LambdaClient(aws.clientConfig).send(
        new UpdateFunctionCodeCommand({ FunctionName: `${STACK}-health`, ZipFile }),
      )
    },
  ],
  [
    /^fault (table and )?key: arn:\S+ is PendingDeletion: `aws kms cancel-key-deletion, then enable-key/,
    ({ aws, known }) =>
      new KMSClient(aws.clientConfig).send(
        new ScheduleKeyDeletionCommand({ KeyId: known.key?.split('/').at(-1), PendingWindowInDays: 7 }),
      ),
  ],
  [
    /^fault table: \S+ never deletes expired items: `aws dynamodb update-time-to-live/,
    ({ aws, known }) => {
      const TimeToLiveSpecification = { Enabled: false, AttributeName: 'expiresAt' }
      return new DynamoDBClient(aws.clientConfig).send(
        new UpdateTimeToLiveCommand({ TableName: known.table, TimeToLiveSpecification }),
      )
    },
  ],
  [
    /^fault table: \S+ is not protected against deletion: deploy again/,
    ({ aws, known }) =>
      new DynamoDBClient(aws.clientConfig).send(
        new UpdateTableCommand({ TableName: known.table, DeletionProtectionEnabled: false }),
      ),
  ],
  [
    /^fault drift: WakeRole \(\S+\) was changed at \/Policies: /,
    ({ aws }, { WakeRole }) =>
      new IAMClient(aws.clientConfig).send(new DeleteRolePolicyCommand({ RoleName: WakeRole, PolicyName: 'access' })),
  ],
  [
    /^fault drift: \w+Alarm \(\S+\) was deleted: /,
    (world, ids) =>
      query(world, 'monitoring', {
        ...{ Action: 'DeleteAlarms', Version: '2010-08-01' },
        'AlarmNames.member.1': oneOf(ids, ALARM),
      }),
  ],
  [
    /^fault drift: Alarms \(arn:\S+\) was deleted: .*REVERT_DRIFT/,
    (world, ids) =>
      query(world, 'sns', { Action: 'DeleteTopic', Version: '2010-03-31', TopicArn: oneOf(ids, /^Alarms$/) }),
  ],
]
