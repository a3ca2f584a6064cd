/** Reads from the account what the checks of a deployment need. Nothing is changed. */
import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient, paginateListTables, ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import { GetAccountSummaryCommand, GetRoleCommand, IAMClient, NoSuchEntityException } from '@aws-sdk/client-iam'
import { KMSClient } from '@aws-sdk/client-kms'
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { readLayout, type TableLayout } from '../layout.ts'
import type { ClientConfig } from '../service.ts'
import { type AddressOnAws, type NewDomain, readAddress } from './address-on-aws.ts'
import { type ExistingKey, type ExistingTable, findKey, findTable } from './existing-data.ts'
import { type KeyRights, readKeyRights } from './key-rights.ts'
import { type Quotas, readQuotas } from './quotas.ts'
import { orNone, type Reading, read } from './reading.ts'
import { type DeployedStack, type DeployedTemplate, deployedTemplate, describeStack, physicalIds } from './stack.ts'
import { TABLE } from './template.ts'

/** The settings of a deployment for which something is read from AWS. */
export interface Deployment {
  stackName: string
  existing: { table: string; key: string } | undefined
  /** Undefined: the stack creates none. */
  domain: NewDomain | undefined
}

interface Identity {
  account: string
  arn: string
}

interface LambdaLimits {
  /** Concurrent invocations of all functions in the region. */
  concurrency: number
  /** Of those, how many no function has reserved. */
  unreserved: number
  /** Bytes of code that the region still accepts; undefined: unknown. */
  codeLeft?: number | undefined
}

interface GatewayAccount {
  /** The account's role for API Gateway's logs in the region; undefined: none is set. */
  cloudWatchRole: string | undefined
  /** Whether the role exists. */
  roleExists: boolean
}

export interface Stack extends DeployedStack {
  /** Undefined: it can't be read as JSON, or the stack has none yet. */
  template: DeployedTemplate | undefined
  physicalIds: Record<string, string>
}

export interface Account {
  region: string
  identity: Reading<Identity>
  lambda: Reading<LambdaLimits>
  quotas: Reading<Quotas>
  roles: Reading<{ used: number; most: number }>
  gateway: Reading<GatewayAccount>
  keyRights: Reading<KeyRights>
  /** Undefined: there is no stack of this name. */
  stack: Reading<Stack | undefined>
  existingTable: Reading<ExistingTable | undefined> | undefined
  existingKey: Reading<ExistingKey | undefined> | undefined
  /** Layout of the existing table; undefined: there is none. */
  layout: Reading<TableLayout | undefined>
  /** Undefined: the stack creates no domain. */
  address: AddressOnAws | undefined
  /** Names with the prefix that a stack of this name gives them. */
  tables: Reading<string[]>
}

export const readAccount = async (config: ClientConfig, deployment: Deployment): Promise<Account> => {
  // Two attempts only: an unavailable service is reported immediately.
  const client = { ...config, maxAttempts: 2 }
  const [sts, lambda, iam, apiGateway] = [
    new STSClient(client),
    new LambdaClient(client),
    new IAMClient(client),
    new APIGatewayClient(client),
  ]
  const [cloudFormation, dynamodb, kms] = [
    new CloudFormationClient(client),
    new DynamoDBClient(client),
    new KMSClient(client),
  ]
  const { stackName, existing, domain } = deployment
  const identity = await read('sts:GetCallerIdentity', () => readIdentity(sts))
  const arn = 'value' in identity ? identity.value.arn : ''
  const [limits, quotas, roles, gateway, keyRights, stack] = await Promise.all([
    read('lambda:GetAccountSettings', () => readLimits(lambda)),
    read('servicequotas:GetServiceQuota', () => readQuotas(client)),
    read('iam:GetAccountSummary', () => readRoles(iam)),
    read('apigateway:GET and iam:GetRole', () => readGateway(apiGateway, iam)),
    read('kms:ListKeys', () => readKeyRights(kms, iam, arn)),
    read('cloudformation:DescribeStacks, ListStackResources and GetTemplate', () =>
      readStack(cloudFormation, stackName),
    ),
  ])
  const used = existing?.table ?? ('value' in stack ? stack.value?.physicalIds[TABLE] : undefined)
  const [existingTable, existingKey, layout, address, tables] = await Promise.all([
    existing && read('dynamodb:DescribeTable and ListTagsOfResource', () => findTable(dynamodb, existing.table)),
    existing && read('kms:DescribeKey', () => findKey(kms, existing.key)),
    read('dynamodb:GetItem and Scan', async () =>
      used === undefined ? undefined : orNone(ResourceNotFoundException, readLayout(dynamodb, used)),
    ),
    domain && readAddress(client, domain),
    read('dynamodb:ListTables', () => readTables(dynamodb, stackName)),
  ])
  const { region } = config
  const present = { identity, lambda: limits, quotas, roles, gateway, keyRights, stack }
  return { region, ...present, existingTable, existingKey, layout, address, tables }
}

const readIdentity = async (sts: STSClient): Promise<Identity> => {
  const { Account = '', Arn = '' } = await sts.send(new GetCallerIdentityCommand())
  return { account: Account, arn: Arn }
}

const readLimits = async (lambda: LambdaClient): Promise<LambdaLimits> => {
  const { AccountLimit, AccountUsage } = await lambda.send(new GetAccountSettingsCommand())
  const { ConcurrentExecutions: concurrency, UnreservedConcurrentExecutions: unreserved = concurrency } =
    AccountLimit ?? {}
  const [most, used] = [AccountLimit?.TotalCodeSize, AccountUsage?.TotalCodeSize]
  if (concurrency === undefined || unreserved === undefined) throw new Error('the response has no limit of concurrency')
  return { concurrency, unreserved, codeLeft: most && used !== undefined ? most - used : undefined }
}

const readRoles = async (iam: IAMClient): Promise<{ used: number; most: number }> => {
  const { SummaryMap } = await iam.send(new GetAccountSummaryCommand())
  return { used: SummaryMap?.Roles ?? 0, most: SummaryMap?.RolesQuota ?? 1000 }
}

const readGateway = async (apiGateway: APIGatewayClient, iam: IAMClient): Promise<GatewayAccount> => {
  const { cloudwatchRoleArn } = await apiGateway.send(new GetAccountCommand())
  // Empty after it was removed.
  const cloudWatchRole = cloudwatchRoleArn || undefined
  return { cloudWatchRole, roleExists: cloudWatchRole !== undefined && (await roleExists(iam, cloudWatchRole)) }
}

const roleExists = async (iam: IAMClient, arn: string): Promise<boolean> => {
  const role = iam.send(new GetRoleCommand({ RoleName: arn.split('/').at(-1) }))
  return (await orNone(NoSuchEntityException, role)) !== undefined
}

const readStack = async (cloudFormation: CloudFormationClient, stackName: string): Promise<Stack | undefined> => {
  const stack = await describeStack(cloudFormation, stackName)
  if (stack === undefined) return undefined
  // A stack under review has no template and no resources yet.
  if (stack.status === 'REVIEW_IN_PROGRESS') return { ...stack, template: undefined, physicalIds: {} }
  const [template, ids] = await Promise.all([
    deployedTemplate(cloudFormation, stackName),
    physicalIds(cloudFormation, stackName),
  ])
  return { ...stack, template, physicalIds: ids }
}

const readTables = async (client: DynamoDBClient, stackName: string): Promise<string[]> => {
  const names: string[] = []
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) names.push(...TableNames)
  return names.filter((name) => name === stackName || name.startsWith(`${stackName}-Table-`))
}
