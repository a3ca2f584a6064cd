/** What is found of a deployed stage. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { examineDeployed, tableFaults } from '../../../infra/deployment/deployed.ts'
import { toLine } from '../../../infra/deployment/finding.ts'
import { type Answers, answerCommands } from '../../support/aws/answers.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const BACKED_UP = {
  ContinuousBackupsDescription: {
    ContinuousBackupsStatus: 'ENABLED',
    PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
  },
}

const faultsOf = (expiry: string, isProtected: boolean, wanted = true, backups = BACKED_UP): Promise<string[]> => {
  answerCommands({
    DescribeTableCommand: { Table: { DeletionProtectionEnabled: isProtected } },
    DescribeTimeToLiveCommand: { TimeToLiveDescription: { TimeToLiveStatus: expiry } },
    DescribeContinuousBackupsCommand: backups,
  })
  return tableFaults(new DynamoDBClient({ region: 'eu-central-1' }), 'agent', wanted)
}

test.each(['ENABLED', 'ENABLING'])('expiry may be %s, which takes up to an hour', async (expiry) => {
  expect(await faultsOf(expiry, true)).toEqual([])
})

test.each(['DISABLED', 'DISABLING'])('expiry that is %s is a fault', async (expiry) => {
  expect(await faultsOf(expiry, true)).toEqual([expect.stringContaining('agent never deletes expired items')])
})

test('a table that is not protected against deletion is a fault, unless it should not be', async () => {
  expect(await faultsOf('ENABLED', false)).toEqual(['agent is not protected against deletion: deploy again'])
  expect(await faultsOf('ENABLED', false, false)).toEqual([])
})

test('a table without point-in-time recovery, as one that was restored from a backup, is a fault', async () => {
  const off = { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'DISABLED' } }
  const backups = { ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED', ...off } }
  expect(await faultsOf('ENABLED', true, true, backups)).toEqual([
    expect.stringContaining('agent cannot be restored to an earlier time: `aws dynamodb update-continuous-backups'),
  ])
})

describe('a stage', () => {
  const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/1'
  /** One that is as it was deployed. */
  const SOUND: Answers = {
    DetectStackDriftCommand: { StackDriftDetectionId: '1' },
    DescribeStackDriftDetectionStatusCommand: { DetectionStatus: 'DETECTION_COMPLETE' },
    DescribeStackResourceDriftsCommand: { StackResourceDrifts: [] },
    ListFunctionsCommand: { Functions: [{ FunctionName: 'health', CodeSha256: 'abc=' }] },
    HeadObjectCommand: { Metadata: { filesha256: 'abc=' } },
    DescribeTableCommand: { Table: { DeletionProtectionEnabled: true } },
    DescribeTimeToLiveCommand: { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED' } },
    DescribeContinuousBackupsCommand: BACKED_UP,
    DescribeKeyCommand: { KeyMetadata: { KeyState: 'Enabled' } },
  }
  const health = {
    Type: 'AWS::Lambda::Function',
    Properties: { FunctionName: 'health', Code: { S3Key: 'health.zip' } },
  }

  const OUTPUTS = { TableName: 'agent', SealingKeyArn: KEY }

  const findingsOf = async (answers: Answers = {}, outputs: Record<string, string> = OUTPUTS) => {
    const sent = answerCommands({ ...SOUND, ...answers })
    const findings = await examineDeployed(
      { region: 'eu-central-1' },
      {
        stackName: 'agent-prod',
        stack: {
          status: 'UPDATE_COMPLETE',
          outputs,
          template: { Resources: { Health: health } },
          physicalIds: { ServerlessDeploymentBucket: 'bucket' },
        },
        isProtected: true,
      },
    )
    return { lines: findings.map(toLine), inputs: sent.mock.calls.map(([{ input }]) => input) }
  }

  test('is as it was deployed', async () => {
    const { lines, inputs } = await findingsOf()
    expect(lines).toEqual(['ok      deployed stage: as it was deployed'])
    const StackResourceDriftStatusFilters = ['MODIFIED', 'DELETED']
    expect(inputs).toContainEqual(expect.objectContaining({ StackResourceDriftStatusFilters }))
  })

  test('is not looked at before it has its resources', async () => {
    expect(await findingsOf({}, {})).toEqual({ lines: [], inputs: [] })
  })

  test('is known when the detection has ended', async () => {
    const statuses = ['DETECTION_IN_PROGRESS', 'DETECTION_COMPLETE']
    const { lines } = await findingsOf({
      DescribeStackDriftDetectionStatusCommand: () => ({ DetectionStatus: statuses.shift() }),
    })
    expect(lines).toEqual(['ok      deployed stage: as it was deployed'])
    expect(statuses).toEqual([])
  })

  test('is not, where resources were changed or deleted, or could not be looked at', async () => {
    const drift = (LogicalResourceId: string, StackResourceDriftStatus: string, PropertyPath: string) => ({
      ...{ LogicalResourceId, PhysicalResourceId: 'id', StackResourceDriftStatus },
      PropertyDifferences: [{ PropertyPath }],
    })
    const { lines } = await findingsOf({
      DescribeStackDriftDetectionStatusCommand: {
        DetectionStatus: 'DETECTION_FAILED',
        DetectionStatusReason: 'no right',
      },
      DescribeStackResourceDriftsCommand: ({ NextToken }: { NextToken?: string }) =>
        NextToken === undefined
          ? { StackResourceDrifts: [drift('Role', 'MODIFIED', '/Policies')], NextToken: '2' }
          : { StackResourceDrifts: [drift('Topic', 'DELETED', '')] },
    })
    expect(lines).toEqual([
      'FAULT   drift: CloudFormation could not check all resources: no right',
      expect.stringContaining('Role (id) was changed at /Policies: '),
      expect.stringContaining('Topic (id) was deleted: '),
    ])
  })

  test('has functions on several pages of their list', async () => {
    const { lines } = await findingsOf({
      ListFunctionsCommand: ({ Marker }: { Marker?: string }) =>
        Marker === undefined ? { Functions: [], NextMarker: '2' } : SOUND.ListFunctionsCommand,
    })
    expect(lines).toEqual(['ok      deployed stage: as it was deployed'])
  })

  test('is not, where a function has other code, or the key is about to go', async () => {
    const { lines } = await findingsOf({
      ListFunctionsCommand: { Functions: [{ FunctionName: 'health', CodeSha256: 'def=' }] },
      DescribeKeyCommand: { KeyMetadata: { KeyState: 'PendingDeletion' } },
    })
    expect(lines).toEqual([
      'FAULT   code: health was changed: deploy again, with `--force`',
      expect.stringContaining(`key: ${KEY} is PendingDeletion: `),
    ])
  })
})
