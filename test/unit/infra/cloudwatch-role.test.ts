/** The role by which API Gateway writes logs: made once for an account, and set once AWS knows it everywhere. */
import { APIGatewayClient, BadRequestException, TooManyRequestsException } from '@aws-sdk/client-api-gateway'
import { CreateRoleCommand, EntityAlreadyExistsException, IAMClient } from '@aws-sdk/client-iam'
import { expect, test, vi } from 'vitest'
import { setCloudWatchRole } from '../../../infra/deployment/cloudwatch-role.ts'

const ARN = 'arn:aws:iam::123456789012:role/logs'
const UNKNOWN = new BadRequestException({ message: 'the role ARN does not have required permissions', $metadata: {} })
const EXISTS = new EntityAlreadyExistsException({ message: 'it exists', $metadata: {} })

/** An account that does not know a new role for some requests. */
const account = ({ unknownFor = 0, roleExists = false }: { unknownFor?: number; roleExists?: boolean } = {}) => {
  const [apiGateway, iam] = [new APIGatewayClient(), new IAMClient()]
  let unknown = unknownFor
  const gateway = vi.spyOn(apiGateway, 'send').mockImplementation(async () => {
    if (unknown-- > 0) throw UNKNOWN
  })
  const asked = vi.spyOn(iam, 'send').mockImplementation(async (command) => {
    if (command instanceof CreateRoleCommand && roleExists) throw EXISTS
    return { Role: { Arn: ARN } }
  })
  return { set: () => setCloudWatchRole(apiGateway, iam, { pause: 0, tries: 3 }), gateway, asked }
}

test.each([false, true])('it is set, with an earlier one there: %s', async (roleExists) => {
  const { set, gateway } = account({ roleExists })
  expect(await set()).toBe(ARN)
  const patchOperations = [{ op: 'replace', path: '/cloudwatchRoleArn', value: ARN }]
  expect(gateway.mock.calls).toMatchObject([[{ input: { patchOperations } }]])
})

test.each([false, true])(
  'it is API Gateway’s alone, and may write logs, with an earlier one there: %s',
  async (roleExists) => {
    const { set, asked } = account({ roleExists })
    await set()
    const inputs = asked.mock.calls.map(([{ input }]) => Object(input))
    expect(JSON.parse(inputs[0]?.AssumeRolePolicyDocument).Statement).toEqual([
      { Effect: 'Allow', Principal: { Service: 'apigateway.amazonaws.com' }, Action: 'sts:AssumeRole' },
    ])
    const { RoleName, PolicyDocument } = inputs.at(-1) ?? {}
    expect(RoleName).toBe(inputs[0]?.RoleName)
    expect(JSON.parse(PolicyDocument).Statement).toEqual([
      {
        Effect: 'Allow',
        // Those of AmazonAPIGatewayPushToCloudWatchLogs.
        Action: ['CreateLogGroup', 'CreateLogStream', 'DescribeLogGroups', 'DescribeLogStreams']
          .concat('PutLogEvents', 'GetLogEvents', 'FilterLogEvents')
          .map((action) => `logs:${action}`),
        Resource: '*',
      },
    ])
  },
)

test('it is set again while API Gateway does not know it, as often as is tried and no oftener', async () => {
  const late = account({ unknownFor: 2 })
  expect(await late.set()).toBe(ARN)
  expect(late.gateway).toHaveBeenCalledTimes(3)
  const never = account({ unknownFor: 9 })
  await expect(never.set()).rejects.toBe(UNKNOWN)
  expect(never.gateway).toHaveBeenCalledTimes(3)
})

test('it is set again where the account has set one too lately', async () => {
  const { set, gateway } = account()
  const tooLately = new TooManyRequestsException({ message: 'Too Many Requests', $metadata: { httpStatusCode: 429 } })
  gateway.mockRejectedValueOnce(UNKNOWN).mockRejectedValueOnce(tooLately)
  expect(await set()).toBe(ARN)
})

test('it is not set if it cannot be created', async () => {
  const [apiGateway, iam] = [new APIGatewayClient(), new IAMClient()]
  const gateway = vi.spyOn(apiGateway, 'send')
  const denied = Object.assign(new Error('denied'), { name: 'AccessDenied' })
  const sent = vi.spyOn(iam, 'send').mockImplementation(async () => Promise.reject(denied))
  await expect(setCloudWatchRole(apiGateway, iam, { pause: 0, tries: 3 })).rejects.toBe(denied)
  expect(sent).toHaveBeenCalledTimes(1)
  expect(gateway).not.toHaveBeenCalled()
})

test('it is not set again after any other error', async () => {
  const { set, gateway } = account()
  const denied = Object.assign(new Error('denied'), { name: 'AccessDeniedException' })
  gateway.mockRejectedValue(denied)
  await expect(set()).rejects.toBe(denied)
  expect(gateway).toHaveBeenCalledTimes(1)
})
