/**
 * The role with which API Gateway writes logs. It is a setting of the account in a region, so no stack owns it: it is
 * set only if there is none.
 */
import { setTimeout } from 'node:timers/promises'
import {
  type APIGatewayClient,
  APIGatewayServiceException,
  BadRequestException,
  UpdateAccountCommand,
} from '@aws-sdk/client-api-gateway'
import {
  CreateRoleCommand,
  EntityAlreadyExistsException,
  GetRoleCommand,
  type IAMClient,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam'
import { orNone } from './reading.ts'

/** All regions of the account share it. */
const ROLE = 'api-gateway-cloudwatch-logs'

/**
 * The same as the managed policy AmazonAPIGatewayPushToCloudWatchLogs.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html
 */
const RIGHTS = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: [
        ...['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:DescribeLogGroups', 'logs:DescribeLogStreams'],
        ...['logs:PutLogEvents', 'logs:GetLogEvents', 'logs:FilterLogEvents'],
      ],
      Resource: '*',
    },
  ],
}

const TRUST = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'apigateway.amazonaws.com' }, Action: 'sts:AssumeRole' }],
}

/**
 * A new role can be used after some seconds: ms between attempts, and their number. An account may make one each 20 s.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const PATIENCE = { pause: 21_000, tries: 4 }

/** Whether the role is not usable yet, or another process of the account has just set its role. */
const isEarly = (error: unknown): boolean =>
  error instanceof BadRequestException ||
  (error instanceof APIGatewayServiceException && error.$metadata.httpStatusCode === 429)

/** Creates the role unless it exists, and sets it. Returns its ARN. */
export const setCloudWatchRole = async (
  apiGateway: APIGatewayClient,
  iam: IAMClient,
  { pause, tries } = PATIENCE,
): Promise<string> => {
  const arn = await makeRole(iam)
  const patchOperations = [{ op: 'replace' as const, path: '/cloudwatchRoleArn', value: arn }]
  for (let left = tries; ; left--) {
    try {
      await apiGateway.send(new UpdateAccountCommand({ patchOperations }))
      return arn
    } catch (error) {
      if (!isEarly(error) || left <= 1) throw error
      await setTimeout(pause)
    }
  }
}

const makeRole = async (iam: IAMClient): Promise<string> => {
  const created = iam.send(new CreateRoleCommand({ RoleName: ROLE, AssumeRolePolicyDocument: JSON.stringify(TRUST) }))
  const { Role } =
    (await orNone(EntityAlreadyExistsException, created)) ?? (await iam.send(new GetRoleCommand({ RoleName: ROLE })))
  const PolicyDocument = JSON.stringify(RIGHTS)
  await iam.send(new PutRolePolicyCommand({ RoleName: ROLE, PolicyName: 'write-logs', PolicyDocument }))
  return Role?.Arn ?? ''
}
