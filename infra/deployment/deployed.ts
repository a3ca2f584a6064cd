/**
 * How a deployed stage differs from its deployment: by CloudFormation's drift detection, and by checks of what that
 * does not cover (code of functions, protection of the table, state of the KMS key).
 */
import { setTimeout } from 'node:timers/promises'
import {
  CloudFormationClient,
  DescribeStackDriftDetectionStatusCommand,
  DetectStackDriftCommand,
  paginateDescribeStackResourceDrifts,
  type StackResourceDrift,
} from '@aws-sdk/client-cloudformation'
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import { KMSClient } from '@aws-sdk/client-kms'
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda'
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import * as v from 'valibot'
import { type ClientConfig, ofType } from '../service.ts'
import type { Stack } from './account.ts'
import { keyProblems } from './checks/data.ts'
import { findKey } from './existing-data.ts'
import { type Finding, findingsOf } from './finding.ts'
import { ifRead, read } from './reading.ts'
import { KEY_OUTPUT, TABLE_OUTPUT } from './template.ts'

/** Ms between two polls of a detection, which takes a minute or two. */
const LOOK_MS = 2_000
const MAX_LOOKS = 300

interface Drift {
  /** Why a part could not be checked; undefined: all was checked. */
  problem: string | undefined
  resources: StackResourceDrift[]
}

const detectDrift = async (client: CloudFormationClient, StackName: string): Promise<Drift> => {
  const { StackDriftDetectionId } = await client.send(new DetectStackDriftCommand({ StackName }))
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const { DetectionStatus, DetectionStatusReason } = await client.send(
      new DescribeStackDriftDetectionStatusCommand({ StackDriftDetectionId }),
    )
    if (DetectionStatus !== 'DETECTION_IN_PROGRESS') {
      const resources: StackResourceDrift[] = []
      const filter = { StackName, StackResourceDriftStatusFilters: ['MODIFIED' as const, 'DELETED' as const] }
      for await (const { StackResourceDrifts = [] } of paginateDescribeStackResourceDrifts({ client }, filter))
        resources.push(...StackResourceDrifts)
      const hasFailed = DetectionStatus === 'DETECTION_FAILED'
      return { problem: hasFailed ? (DetectionStatusReason ?? DetectionStatus) : undefined, resources }
    }
    await setTimeout(LOOK_MS)
  }
  return { problem: `no end after ${(MAX_LOOKS * LOOK_MS) / 60_000} minutes`, resources: [] }
}

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/drift-aware-change-sets.html */
const revert = (stackName: string): string =>
  `\`aws cloudformation create-change-set --stack-name ${stackName} --change-set-name revert --use-previous-template --deployment-mode REVERT_DRIFT --capabilities CAPABILITY_NAMED_IAM\`, then execute-change-set, puts it back`

const driftProblems = (stackName: string, { problem, resources }: Drift): string[] => [
  ...(problem === undefined ? [] : [`CloudFormation could not check all resources: ${problem}`]),
  ...resources.map(({ LogicalResourceId, PhysicalResourceId, StackResourceDriftStatus, PropertyDifferences = [] }) => {
    const paths = PropertyDifferences.map(({ PropertyPath }) => PropertyPath).join(', ')
    const what = StackResourceDriftStatus === 'DELETED' ? 'was deleted' : `was changed at ${paths}`
    return `${LogicalResourceId} (${PhysicalResourceId}) ${what}: ${revert(stackName)}`
  }),
]

const Lambda = v.object({ FunctionName: v.string(), Code: v.object({ S3Key: v.string() }) })

/** Names of functions whose code is not that of the stack's zips: their hashes are those that the CLI has uploaded. */
const changedCode = async (lambda: LambdaClient, s3: S3Client, stack: Stack): Promise<string[]> => {
  const Bucket = stack.physicalIds.ServerlessDeploymentBucket
  const functions = ofType(stack.template?.Resources ?? {}, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
    v.is(Lambda, Properties) ? [Properties] : [],
  )
  // Lambda accepts 15 such requests a second from an account, and a page has 50 functions.
  // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
  const hashes = new Map<string | undefined, string | undefined>()
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {}))
    for (const { FunctionName, CodeSha256 } of Functions) hashes.set(FunctionName, CodeSha256)
  const changed = await Promise.all(
    functions.map(async ({ FunctionName, Code: { S3Key: Key } }) => {
      const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key }))
      return hashes.get(FunctionName) === Metadata?.filesha256 ? [] : [FunctionName]
    }),
  )
  return changed.flat()
}

/**
 * Missing settings of a table. Drift detection does not cover tables of earlier stacks, and a table that was restored
 * from a backup has neither expiry nor backups. `isProtected`: whether it should be protected against deletion.
 */
export const tableFaults = async (
  dynamodb: Pick<DynamoDBClient, 'send'>,
  TableName: string,
  isProtected: boolean,
): Promise<string[]> => {
  const [{ Table }, { TimeToLiveDescription: expiry }, { ContinuousBackupsDescription: backups }] = await Promise.all([
    dynamodb.send(new DescribeTableCommand({ TableName })),
    dynamodb.send(new DescribeTimeToLiveCommand({ TableName })),
    dynamodb.send(new DescribeContinuousBackupsCommand({ TableName })),
  ])
  const update = (what: string, specification: string) =>
    `\`aws dynamodb update-${what} --table-name ${TableName} ${specification}\``
  const expire = update('time-to-live', '--time-to-live-specification Enabled=true,AttributeName=expiresAt')
  const backUp = update('continuous-backups', '--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true')
  return [
    ...(isProtected && Table?.DeletionProtectionEnabled !== true
      ? [`${TableName} is not protected against deletion: deploy again`]
      : []),
    ...(['ENABLED', 'ENABLING'].includes(expiry?.TimeToLiveStatus ?? '')
      ? []
      : [`${TableName} never deletes expired items: ${expire}`]),
    ...(backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED'
      ? []
      : [`${TableName} cannot be restored to an earlier time: ${backUp}`]),
  ]
}

/** `isProtected`: whether the table should be protected against deletion. */
export const examineDeployed = async (
  config: ClientConfig,
  { stackName, stack, isProtected }: { stackName: string; stack: Stack; isProtected: boolean },
): Promise<Finding[]> => {
  const { [TABLE_OUTPUT]: table, [KEY_OUTPUT]: key } = stack.outputs
  // After the first step of its creation a stack has only its bucket.
  if (table === undefined || key === undefined) return []
  const [drift, code, ofTable, ofKey] = await Promise.all([
    read('cloudformation:DetectStackDrift, and to read what it looks at', () =>
      detectDrift(new CloudFormationClient(config), stackName),
    ),
    read('lambda:ListFunctions and s3:GetObject', () =>
      changedCode(new LambdaClient(config), new S3Client(config), stack),
    ),
    read('dynamodb:DescribeTable, DescribeTimeToLive and DescribeContinuousBackups', () =>
      tableFaults(new DynamoDBClient(config), table, isProtected),
    ),
    read('kms:DescribeKey', () => findKey(new KMSClient(config), key)),
  ])
  const findings = [
    ...ifRead('drift', drift, (found, { fault }) => driftProblems(stackName, found).flatMap(fault)),
    ...ifRead('code', code, (names, { fault }) =>
      names.flatMap((name) => fault(`${name} was changed: deploy again, with \`--force\``)),
    ),
    ...ifRead('table', ofTable, (messages, { fault }) => messages.flatMap(fault)),
    ...ifRead('key', ofKey, (found, { fault }) => keyProblems(found, key).flatMap(fault)),
  ]
  return findings.length > 0 ? findings : findingsOf('deployed stage').ok('as it was deployed')
}
