/** Which functions the API's role may invoke: exactly those that its document names. */
import { createHash } from 'node:crypto'
import type { Resource } from '../service.ts'

/** ARNs of 130 characters at most: a managed policy has 6,144 characters. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const FUNCTIONS_OF_A_POLICY = 40

/**
 * Managed policies of the role by logical id. The id follows from what a policy allows: while an update moves the stage to another
 * deployment, the policies of the one before are still there.
 */
export const invocationPolicies = (arns: unknown[], role: string): Record<string, Resource> => {
  const policies: Record<string, Resource> = {}
  for (let index = 0; index < arns.length; index += FUNCTIONS_OF_A_POLICY) {
    const Resource = arns.slice(index, index + FUNCTIONS_OF_A_POLICY)
    policies[`ApiInvokes${idOf(Resource)}`] = {
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: {
        Roles: [{ Ref: role }],
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource }],
        },
      },
    }
  }
  return policies
}

/** A part of a logical id that follows from what is given. */
export const idOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
