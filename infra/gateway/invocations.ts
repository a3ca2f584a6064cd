/** The policies with which the API's role may invoke exactly the functions in the API's document. */
import { createHash } from 'node:crypto'
import type { Resource } from '../service.ts'

/** A function: the template's expression for its ARN, and its name. */
export interface InvokedFunction {
  arn: unknown
  name: string
}

/**
 * Maximum number of characters of a managed policy.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
 */
const MAX_CHARACTERS = 6_144

/**
 * Characters of a policy without its ARNs, and of an ARN without the function's name (with quotes and comma), in
 * any partition and region.
 */
const CHARACTERS = { policy: 144, arn: 72 }

/**
 * Managed policies of the role by logical id. The id follows from what a policy allows: while an update moves the stage
 * to another deployment, the policies of the one before are still there.
 */
export const invocationPolicies = (functions: InvokedFunction[], role: string): Record<string, Resource> =>
  Object.fromEntries(
    inPolicies(functions).map((Resource) => [
      `ApiInvokes${idOf(Resource)}`,
      {
        Type: 'AWS::IAM::ManagedPolicy',
        Properties: {
          Roles: [{ Ref: role }],
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [{ Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource }],
          },
        },
      },
    ]),
  )

/** Puts as many ARNs into each policy as fit, because each policy is a resource of the stack. */
const inPolicies = (functions: InvokedFunction[]): unknown[][] => {
  const policies: unknown[][] = []
  let room = 0
  for (const { arn, name } of functions) {
    room -= CHARACTERS.arn + name.length
    if (room < 0) {
      policies.push([])
      room = MAX_CHARACTERS - CHARACTERS.policy - CHARACTERS.arn - name.length
    }
    policies.at(-1)?.push(arn)
  }
  return policies
}

/** A part of a logical id that follows from what is given. */
export const idOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
