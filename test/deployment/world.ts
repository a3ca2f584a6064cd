/** What the steps of a deployment share: the emulated AWS, the operator, and what is checked in between. */
import { ACMClient, RequestCertificateCommand } from '@aws-sdk/client-acm'
import { APIGatewayClient, CreateDomainNameCommand, UpdateAccountCommand } from '@aws-sdk/client-api-gateway'
import { CloudFormationClient, DescribeStackEventsCommand } from '@aws-sdk/client-cloudformation'
import {
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { DescribeKeyCommand, KMSClient, ListKeysCommand } from '@aws-sdk/client-kms'
import { LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda'
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { type DeployedStack, deployedTemplate, describeStack, physicalIds } from '../../infra/deployment/stack.ts'
import { ofType } from '../../infra/service.ts'
import { LAYOUT_ITEM, LAYOUT_KEY } from '../../lib/store/layout.ts'
import { EmulatedAws } from './emulator.ts'
import { Operator, STAGE } from './operator.ts'

export const STACK = `serverless-agent-${STAGE}`

/** An item of a tenant, as far as a deployment knows it. */
const ITEM = { pk: { S: 'deployment' }, sk: { S: 'test' } }

export class World {
  readonly aws: EmulatedAws
  readonly operator: Operator
  /** What the steps remember for those that follow. */
  readonly known: { table?: string; key?: string; api?: string } = {}

  private constructor(aws: EmulatedAws, operator: Operator) {
    this.aws = aws
    this.operator = operator
  }

  static async start(): Promise<World> {
    const aws = await EmulatedAws.start()
    return new World(aws, await Operator.at(aws))
  }

  async stop(): Promise<void> {
    await Promise.allSettled([this.operator.stop(), this.aws.stop()])
  }

  stack(): Promise<DeployedStack | undefined> {
    return describeStack(this.#cloudFormation, STACK)
  }

  /** A deployment's traces: the objects that it has uploaded, and the number of events of the stack. */
  async traces(): Promise<{ uploads: (string | undefined)[]; events: number }> {
    const { ServerlessDeploymentBucket: Bucket } = await this.ids()
    const { Contents = [] } = await new S3Client(this.aws.clientConfig).send(new ListObjectsV2Command({ Bucket }))
    const { StackEvents = [] } = await this.#cloudFormation.send(new DescribeStackEventsCommand({ StackName: STACK }))
    return { uploads: Contents.map(({ Key }) => Key), events: StackEvents.length }
  }

  ids(): Promise<Record<string, string>> {
    return physicalIds(this.#cloudFormation, STACK)
  }

  async tables(): Promise<string[]> {
    return (await this.#dynamodb.send(new ListTablesCommand())).TableNames ?? []
  }

  async queues(): Promise<string[]> {
    return (await new SQSClient(this.aws.clientConfig).send(new ListQueuesCommand())).QueueUrls ?? []
  }

  /** ARNs of the usable keys that seal the table's contents; the alarms' topic has a separate one. */
  async keys(): Promise<string[]> {
    const kms = new KMSClient(this.aws.clientConfig)
    const { Keys = [] } = await kms.send(new ListKeysCommand())
    const all = await Promise.all(Keys.map(({ KeyId }) => kms.send(new DescribeKeyCommand({ KeyId }))))
    return all.flatMap(({ KeyMetadata }) =>
      KeyMetadata?.KeyState === 'Enabled' && /^Data keys of /.test(KeyMetadata.Description ?? '')
        ? (KeyMetadata.Arn ?? [])
        : [],
    )
  }

  async isProtected(TableName: string): Promise<boolean> {
    const { Table } = await this.#dynamodb.send(new DescribeTableCommand({ TableName }))
    return Table?.DeletionProtectionEnabled ?? false
  }

  async streamOf(TableName: string): Promise<string | undefined> {
    const { Table } = await this.#dynamodb.send(new DescribeTableCommand({ TableName }))
    return Table?.LatestStreamArn
  }

  async putItem(TableName: string): Promise<void> {
    await this.#dynamodb.send(new PutItemCommand({ TableName, Item: ITEM }))
  }

  async hasItem(TableName: string): Promise<boolean> {
    const { Item } = await this.#dynamodb.send(new GetItemCommand({ TableName, Key: ITEM }))
    return Item !== undefined
  }

  /** The version of the table's layout. */
  async layout(TableName: string): Promise<string | undefined> {
    return (await this.#dynamodb.send(new GetItemCommand({ TableName, Key: LAYOUT_KEY }))).Item?.version?.N
  }

  async setLayout(TableName: string, version: string): Promise<void> {
    await this.#dynamodb.send(new PutItemCommand({ TableName, Item: { ...LAYOUT_ITEM, version: { N: version } } }))
  }

  /** Event sources with their maximum concurrency, where they have one. */
  async sources(): Promise<{ source: string; most: number | undefined }[]> {
    const { EventSourceMappings = [] } = await new LambdaClient(this.aws.clientConfig).send(
      new ListEventSourceMappingsCommand(),
    )
    return EventSourceMappings.map(({ EventSourceArn = '', ScalingConfig }) => ({
      source: EventSourceArn,
      most: ScalingConfig?.MaximumConcurrency,
    }))
  }

  /** An alarm's threshold. */
  async threshold(alarm: string): Promise<unknown> {
    const template = await deployedTemplate(this.#cloudFormation, STACK)
    return template?.Resources[alarm]?.Properties.Threshold
  }

  /** How many API keys the stack has by which tenants are counted. moto's CloudFormation makes none. */
  async rateKeys(): Promise<number> {
    const template = await deployedTemplate(this.#cloudFormation, STACK)
    return ofType(template?.Resources ?? {}, 'AWS::ApiGateway::ApiKey').length
  }

  /** A certificate of a domain, and its ARN. */
  async certificate(DomainName: string): Promise<string> {
    const acm = new ACMClient(this.aws.clientConfig)
    return (await acm.send(new RequestCertificateCommand({ DomainName }))).CertificateArn ?? ''
  }

  /** A hosted zone, and its id. */
  async zone(Name: string): Promise<string> {
    const made = new CreateHostedZoneCommand({ Name, CallerReference: Name })
    const { HostedZone } = await new Route53Client(this.aws.clientConfig).send(made)
    return (HostedZone?.Id ?? '').replace('/hostedzone/', '')
  }

  async leaveDomain(domainName: string): Promise<void> {
    await new APIGatewayClient(this.aws.clientConfig).send(new CreateDomainNameCommand({ domainName }))
  }

  async setCloudWatchRole(value: string): Promise<void> {
    const patchOperations = [{ op: 'replace' as const, path: '/cloudwatchRoleArn', value }]
    await new APIGatewayClient(this.aws.clientConfig).send(new UpdateAccountCommand({ patchOperations }))
  }

  get #cloudFormation(): CloudFormationClient {
    return new CloudFormationClient(this.aws.clientConfig)
  }

  get #dynamodb(): DynamoDBClient {
    return new DynamoDBClient(this.aws.clientConfig)
  }
}
