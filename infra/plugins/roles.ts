/**
 * Serverless plugin: makes the role of each function from its `permissions` and what Lambda needs to run it, and the
 * environment variables that follow.
 */
import { allPermissionsOf, environmentOf } from '../access/permissions.ts'
import type { Statement } from '../roles/policy.ts'
import { allow, arnOf, statementsOf } from '../roles/statements.ts'
import { type FunctionDefinition, type Resource, type Serverless, withServerlessErrors } from '../service.ts'

export default class Roles {
  readonly hooks: Record<string, () => void>

  constructor(serverless: Serverless) {
    const { service } = serverless
    serverless.configSchemaHandler.defineFunctionProperties('aws', {
      properties: { permissions: { type: 'array', items: { type: 'string' } } },
      required: ['permissions'],
    })
    this.hooks = {
      initialize: () =>
        withServerlessErrors(serverless, () => {
          for (const definition of Object.values(service.functions))
            definition.environment = { ...environmentOf(definition.permissions), ...definition.environment }
        }),
      // If all functions name a role, Serverless creates no role that they share.
      'before:package:setupProviderConfiguration': () => {
        for (const [key, definition] of Object.entries(service.functions)) definition.role = roleIdOf(key)
      },
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const { naming } = serverless.getProvider('aws')
        const { Resources } = service.provider.compiledCloudFormationTemplate
        for (const [key, definition] of Object.entries(service.functions)) {
          const lambda = Resources[naming.getLambdaLogicalId(key)]
          Resources[roleIdOf(key)] = roleOf(definition, lambda)
          // It refers to its role, and to all else that it needs: linters of CloudFormation warn of a repeated dependency.
          delete lambda?.DependsOn
        }
      },
    }
  }
}

const roleIdOf = (key: string): string => `${key.replace(/^./, (letter) => letter.toUpperCase())}Role`

const roleOf = (definition: FunctionDefinition, lambda: Resource | undefined): Resource => {
  const permissions = allPermissionsOf(definition.permissions)
  const Statement = [...runtimeStatements(lambda), ...sourceStatements(definition), ...statementsOf(permissions)]
  return {
    Type: 'AWS::IAM::Role',
    // CloudFormation names it: so it has at most 64 characters, in every region.
    Properties: {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
      },
      Policies: [{ PolicyName: 'access', PolicyDocument: { Version: '2012-10-17', Statement } }],
    },
  }
}

/** Logs, and traces where they are on. */
const runtimeStatements = (lambda: Resource | undefined): Statement[] => {
  const traced = lambda?.Properties.TracingConfig !== undefined
  return [
    // Its ARN ends with `:*`, as required for both actions:
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/iam-access-control-overview-cwl.html
    allow('logs', ['CreateLogStream', 'PutLogEvents'], arnOf('LogGroup')),
    // X-Ray has no resources. https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html
    ...(traced ? [allow('xray', ['PutTraceSegments', 'PutTelemetryRecords'], '*')] : []),
  ]
}

/** What Lambda does on behalf of the function with the streams and queues that invoke it. */
const sourceStatements = ({ events = [] }: FunctionDefinition): Statement[] => {
  const queues = events.flatMap(({ sqs }) => sqs?.arn ?? [])
  const streams = events.flatMap(({ stream }) => stream ?? [])
  const failures = streams.flatMap(({ destinations }) => destinations?.onFailure.arn ?? [])
  return [
    // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
    ...(queues.length === 0 ? [] : [allow('sqs', ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'], queues)]),
    // https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
    ...streams.map(({ arn }) =>
      allow('dynamodb', ['GetRecords', 'GetShardIterator', 'DescribeStream', 'ListStreams'], arn),
    ),
    ...failures.map((arn) => allow('sqs', ['SendMessage'], arn)),
  ]
}
