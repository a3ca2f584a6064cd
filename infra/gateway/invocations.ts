/** Which functions the API's role may invoke: exactly those that its document names. */
import { createHash } from 'node:crypto'
import type { Resource } from '../service.ts'

/** A function by what the template says for its ARN, or its alias's, and by its name. */
export interface InvokedFunction {
  arn: unknown
  name: string
}

/** Characters of a managed policy. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const MAX_CHARACTERS = 6_144

/** What a policy has beside the ARNs, and what an ARN has beside the function's name, with an alias, quotes and a comma, in every partition and region. */
const CHARACTERS = { policy: 144, arn: 72 }

/**
 * Managed policies of the role by logical id. The id follows from what a policy allows: while an update moves the stage to another
 * deployment, the policies of the one before are still there.
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

/** As many ARNs in each as it has room for: each policy is a resource of the stack. */
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
