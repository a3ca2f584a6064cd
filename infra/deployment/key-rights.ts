/** Whether the deploying user or role may create the KMS key, by IAM's policy simulation. */
import { GetRoleCommand, type IAMClient, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam'
import { type KMSClient, ListKeysCommand } from '@aws-sdk/client-kms'

export interface KeyRights {
  /** Actions that IAM would deny; undefined: the simulation was not possible. */
  denied: string[] | undefined
}

/** Actions of CloudFormation on the key, with the permissions of the deploying user or role. */
const KEY_ACTIONS = ['kms:CreateKey', 'kms:DescribeKey', 'kms:EnableKeyRotation', 'kms:PutKeyPolicy', 'kms:TagResource']

/** Rejects if KMS is unavailable. `arn`: of the deploying user or role. */
export const readKeyRights = async (kms: KMSClient, iam: IAMClient, arn: string): Promise<KeyRights> => {
  await kms.send(new ListKeysCommand({ Limit: 1 }))
  try {
    const PolicySourceArn = await principal(iam, arn)
    if (PolicySourceArn === undefined) return { denied: undefined }
    const { EvaluationResults = [] } = await iam.send(
      new SimulatePrincipalPolicyCommand({ PolicySourceArn, ActionNames: KEY_ACTIONS }),
    )
    const denied = EvaluationResults.filter(({ EvalDecision }) => EvalDecision !== 'allowed')
    return { denied: denied.flatMap(({ EvalActionName }) => EvalActionName ?? []) }
  } catch {
    // A deployment does not need the permission to simulate policies.
    return { denied: undefined }
  }
}

/**
 * The user or role whose policies count; undefined: the root user, who has none. The ARN of a session does not have its
 * role's path. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
 */
const principal = async (iam: IAMClient, arn: string): Promise<string | undefined> => {
  const [, kind, name] = arn.match(/:(user|assumed-role)(?:\/([^/]+))?/) ?? []
  if (kind === 'user') return arn
  if (kind !== 'assumed-role') return undefined
  const { Role } = await iam.send(new GetRoleCommand({ RoleName: name }))
  return Role?.Arn
}
