/** What is read of an account before a deployment. */
import * as acm from '@aws-sdk/client-acm'
import * as gateway from '@aws-sdk/client-api-gateway'
import * as dynamodb from '@aws-sdk/client-dynamodb'
import { NoSuchEntityException } from '@aws-sdk/client-iam'
import * as kms from '@aws-sdk/client-kms'
import * as route53 from '@aws-sdk/client-route-53'
import { afterEach, expect, test, vi } from 'vitest'
import { type Account, readAccount } from '../../../infra/deployment/account.ts'
import { type NewDomain, newDomainOf } from '../../../infra/deployment/address-on-aws.ts'
import { type Answers, answerCommands } from '../../support/aws/answers.ts'
import { EMPTY_ACCOUNT, failure } from '../../support/aws/empty-account.ts'

const DOMAIN = {
  domainName: 'agent.example.org',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
  zoneId: 'Z1',
}

const STREAM = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' }

const EXISTING = { table: 'agent-old', key: 'arn:aws:kms:eu-central-1:123456789012:key/1' }

const NOTHING = { existing: undefined, domain: undefined }

const accountOf = (answers: Answers, domain?: NewDomain, existing?: typeof EXISTING): Promise<Account> => {
  answerCommands({ ...EMPTY_ACCOUNT, ...answers })
  return readAccount({ region: 'eu-central-1' }, { stackName: 'agent-prod', existing, domain })
}

afterEach(() => {
  vi.restoreAllMocks()
})

test('one with nothing of the stack has the usual quotas, and no role for logs where that was taken away', async () => {
  expect(await accountOf({})).toMatchObject({
    lambda: { value: { concurrency: 1000, unreserved: 1000, codeLeft: 79e9 } },
    quotas: { value: { apiResources: 300, apiRate: 10_000, tableWrites: 40_000 } },
    roles: { value: { used: 12, most: 500 } },
    gateway: { value: { cloudWatchRole: undefined, roleExists: false } },
    keyRights: { value: { denied: [] } },
    stack: { value: undefined },
  })
})

test('each quota is the one of its code', async () => {
  const values: Record<string, number> = {
    'apigateway L-01C8A9E0': 600,
    'apigateway L-8A5B8E43': 20_000,
    'dynamodb L-AB614373': 80_000,
  }
  const { quotas } = await accountOf({
    GetServiceQuotaCommand: ({ ServiceCode, QuotaCode }: { ServiceCode: string; QuotaCode: string }) => ({
      Quota: { Value: values[`${ServiceCode} ${QuotaCode}`] ?? 0 },
    }),
  })
  expect(quotas).toEqual({ value: { apiResources: 600, apiRate: 20_000, tableWrites: 80_000 } })
})

test('a role for logs may be gone, which differs from a failed read', async () => {
  const set = { GetAccountCommand: { cloudwatchRoleArn: 'arn:aws:iam::123456789012:role/path/logs' } }
  const gone = new NoSuchEntityException({ message: 'none', $metadata: {} })
  const sent = answerCommands({ ...EMPTY_ACCOUNT, ...set, GetRoleCommand: {} })
  const { gateway } = await readAccount({ region: 'eu-central-1' }, { stackName: 'agent-prod', ...NOTHING })
  expect(gateway).toMatchObject({ value: { roleExists: true } })
  expect(sent.mock.calls.map(([{ input }]) => input.RoleName)).toContain('logs')
  expect((await accountOf({ ...set, GetRoleCommand: gone })).gateway).toMatchObject({ value: { roleExists: false } })
  expect((await accountOf(set)).gateway).toMatchObject({ failure: { kind: 'unavailable' } })
})

test('concurrency that other functions have reserved is not available', async () => {
  const AccountLimit = { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 400 }
  const { lambda } = await accountOf({ GetAccountSettingsCommand: { AccountLimit } })
  expect(lambda).toEqual({ value: { concurrency: 1000, unreserved: 400, codeLeft: undefined } })
})

test('lists of tables and of the resources of a stack are read to their end', async () => {
  const resource = (id: string) => ({ LogicalResourceId: id, PhysicalResourceId: `${id}-1`, ResourceStatus: 'any' })
  const { tables, stack } = await accountOf({
    ListTablesCommand: ({ ExclusiveStartTableName }: { ExclusiveStartTableName?: string }) =>
      ExclusiveStartTableName === undefined
        ? { TableNames: ['a'], LastEvaluatedTableName: 'a' }
        : { TableNames: ['agent-prod'] },
    DescribeStacksCommand: { Stacks: [{ StackStatus: 'UPDATE_COMPLETE' }] },
    GetTemplateCommand: { TemplateBody: '{"Resources":{}}' },
    ListStackResourcesCommand: ({ NextToken }: { NextToken?: string }) =>
      NextToken === undefined
        ? { StackResourceSummaries: [resource('First')], NextToken: '2' }
        : { StackResourceSummaries: [resource('Second')] },
  })
  expect(tables).toEqual({ value: ['agent-prod'] })
  expect(stack).toMatchObject({ value: { physicalIds: { First: 'First-1', Second: 'Second-1' } } })
})

test('of tables those count that a stack of this name has made', async () => {
  const TableNames = ['agent-prod', 'agent-prod-Table-1A', 'agent-prod-2-Table-1A', 'agent-production', 'agent']
  const { tables } = await accountOf({ ListTablesCommand: { TableNames } })
  expect(tables).toEqual({ value: ['agent-prod', 'agent-prod-Table-1A'] })
})

test('the layout is that of the existing table', async () => {
  const sent = answerCommands(EMPTY_ACCOUNT)
  const existing = { table: 'old', key: 'arn:aws:kms:eu-central-1:123456789012:key/1' }
  await readAccount({ region: 'eu-central-1' }, { stackName: 'agent-prod', existing, domain: undefined })
  const asked = sent.mock.calls.map(([command]) => [command.constructor.name, command.input.TableName])
  expect(asked).toContainEqual(['ScanCommand', 'old'])
})

test('a stack under review has no template, and a missing permission does not mean that there is none', async () => {
  const review = { Stacks: [{ StackStatus: 'REVIEW_IN_PROGRESS' }] }
  expect((await accountOf({ DescribeStacksCommand: review })).stack).toMatchObject({ value: { template: undefined } })
  const denied = failure('AccessDenied', 'agent-prod does not exist, or is not yours')
  expect((await accountOf({ DescribeStacksCommand: denied })).stack).toMatchObject({ failure: { kind: 'denied' } })
  const invalid = failure('ValidationError', 'the name of the stack is not valid')
  expect((await accountOf({ DescribeStacksCommand: invalid })).stack).toMatchObject({
    failure: { kind: 'unavailable' },
  })
})

test('of a hosted zone the records of the domain itself count', async () => {
  const record = (Name: string, Type: string) => ({ Name, Type })
  const { address } = await accountOf(
    {
      DescribeCertificateCommand: { Certificate: { Status: 'ISSUED', DomainName: DOMAIN.domainName } },
      GetDomainNameCommand: { tags: { 'aws:cloudformation:stack-name': 'agent-old' } },
      GetHostedZoneCommand: { HostedZone: { Name: 'example.org.' } },
      // Of a zone of any size the domain's own come first.
      ListResourceRecordSetsCommand: ({ StartRecordName }: { StartRecordName?: string }) => ({
        ...(StartRecordName !== DOMAIN.domainName && { ResourceRecordSets: [] }),
        ResourceRecordSets: [record('agent.example.org.', 'CNAME'), record('b.example.org.', 'A')],
      }),
    },
    DOMAIN,
  )
  expect(address).toMatchObject({
    certificate: { value: { status: 'ISSUED', names: [DOMAIN.domainName] } },
    domain: { value: { stack: 'agent-old' } },
    zone: { value: { name: 'example.org', isPrivate: false, records: ['CNAME'] } },
  })
})

test('a table and a key of a removed stack are found by their descriptions', async () => {
  const { existingTable, existingKey, layout } = await accountOf(
    {
      DescribeTableCommand: {
        Table: {
          ...{ TableArn: 'arn:table', TableStatus: 'ACTIVE', GlobalSecondaryIndexes: [{ IndexName: 'due' }] },
          ...{ StreamSpecification: STREAM, LatestStreamArn: 'arn:stream' },
        },
      },
      ListTagsOfResourceCommand: { Tags: [{ Key: 'sealing-key', Value: EXISTING.key }] },
      DescribeKeyCommand: { KeyMetadata: { Arn: EXISTING.key, KeyId: '1', KeyState: 'Enabled' } },
      GetItemCommand: {},
      ScanCommand: { Items: [{}] },
    },
    undefined,
    EXISTING,
  )
  const found = { name: 'agent-old', arn: 'arn:table', streamArn: 'arn:stream', status: 'ACTIVE', indexes: ['due'] }
  expect(existingTable).toEqual({ value: { ...found, sealingKey: EXISTING.key } })
  expect(existingKey).toEqual({ value: { arn: EXISTING.key, id: '1', state: 'Enabled' } })
  expect(layout).toEqual({ value: { mismatch: 'has no layout version', isEmpty: false } })
})

test.each([undefined, { ...STREAM, StreamEnabled: false }, { ...STREAM, StreamViewType: 'NEW_IMAGE' }])(
  'a stream that does not show what a change made of what is none: %j',
  async (StreamSpecification) => {
    const Table = { TableArn: 'arn:table', LatestStreamArn: 'arn:stream', StreamSpecification }
    const answers = { DescribeTableCommand: { Table }, ListTagsOfResourceCommand: {}, DescribeKeyCommand: {} }
    const { existingTable } = await accountOf({ ...answers, ScanCommand: {} }, undefined, EXISTING)
    expect(existingTable).toMatchObject({ value: { streamArn: undefined } })
  },
)

test('a missing resource is undefined, a failed read is a failure', async () => {
  const missing = (Type: new (options: { message: string; $metadata: object }) => Error) =>
    new Type({ message: 'none', $metadata: {} })
  const noTable = missing(dynamodb.ResourceNotFoundException)
  const account = await accountOf(
    {
      DescribeTableCommand: noTable,
      ScanCommand: noTable,
      DescribeKeyCommand: missing(kms.NotFoundException),
      DescribeCertificateCommand: missing(acm.ResourceNotFoundException),
      GetDomainNameCommand: missing(gateway.NotFoundException),
      GetHostedZoneCommand: missing(route53.NoSuchHostedZone),
    },
    DOMAIN,
    EXISTING,
  )
  const none = { value: undefined }
  expect(account).toMatchObject({ existingTable: none, existingKey: none, layout: none })
  expect(account.address).toMatchObject({ certificate: none, domain: none, zone: none })
  const denied = failure('AccessDenied', 'denied')
  const names = ['DescribeTable', 'Scan', 'DescribeKey', 'DescribeCertificate', 'GetDomainName', 'GetHostedZone']
  const unread = Object.fromEntries(names.map((name) => [`${name}Command`, denied]))
  const { existingTable, existingKey, layout, address } = await accountOf(unread, DOMAIN, EXISTING)
  for (const part of [existingTable, existingKey, layout, address?.certificate, address?.domain, address?.zone])
    expect(part).toMatchObject({ failure: { kind: 'denied' } })
})

test('without credentials nothing is known but that', async () => {
  const { identity, keyRights } = await accountOf({ GetCallerIdentityCommand: failure('ExpiredToken', 'it is over') })
  expect(identity).toEqual({
    failure: { kind: 'unauthenticated', action: 'sts:GetCallerIdentity', message: 'ExpiredToken: it is over' },
  })
  expect(keyRights).toEqual({ value: { denied: undefined } })
})

test('a quota without permission, or a missing limit, does not become the default', async () => {
  const denied = failure('AccessDeniedException', 'no right')
  const { quotas, lambda } = await accountOf({ GetServiceQuotaCommand: denied, GetAccountSettingsCommand: {} })
  expect(quotas).toMatchObject({ failure: { kind: 'denied' } })
  expect(lambda).toMatchObject({ failure: { message: 'the response has no limit of concurrency' } })
})

test('a response without any stack says that there is none', async () => {
  expect((await accountOf({ DescribeStacksCommand: { Stacks: [] } })).stack).toEqual({ value: undefined })
})

test('of a domain without a hosted zone no zone is read', async () => {
  const certificate = { DescribeCertificateCommand: { Certificate: { Status: 'ISSUED' } } }
  const { address } = await accountOf(certificate, { ...DOMAIN, zoneId: undefined })
  expect(address).toMatchObject({ certificate: { value: { status: 'ISSUED', names: [] } }, zone: undefined })
})

test('a stack makes no domain by settings that are wrong', () => {
  const { certificateArn: CERTIFICATE_ARN } = DOMAIN
  expect(newDomainOf({ DOMAIN_NAME: 'no domain', CERTIFICATE_ARN }, 'eu-central-1')).toBeUndefined()
})

test('a stack makes no domain by a certificate of another region', () => {
  const { domainName: DOMAIN_NAME, certificateArn: CERTIFICATE_ARN } = DOMAIN
  expect(newDomainOf({ DOMAIN_NAME, CERTIFICATE_ARN }, 'eu-central-1')).toMatchObject({ domainName: DOMAIN_NAME })
  expect(newDomainOf({ DOMAIN_NAME, CERTIFICATE_ARN }, 'us-east-1')).toBeUndefined()
})
