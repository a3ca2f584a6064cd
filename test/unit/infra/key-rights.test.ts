/** Permissions that IAM would deny to the deploying user or role. */
import { IAMClient } from '@aws-sdk/client-iam'
import { KMSClient } from '@aws-sdk/client-kms'
import { expect, test, vi } from 'vitest'
import { readKeyRights } from '../../../infra/deployment/key-rights.ts'

test('an action is denied unless it is allowed, also where no policy names it', async () => {
  const [kms, iam] = [new KMSClient({ region: 'eu-central-1' }), new IAMClient({ region: 'eu-central-1' })]
  vi.spyOn(kms, 'send').mockImplementation(async () => ({}))
  const decisions = { 'kms:DescribeKey': 'allowed', 'kms:CreateKey': 'implicitDeny', 'kms:TagResource': 'explicitDeny' }
  const EvaluationResults = Object.entries(decisions).map(([EvalActionName, EvalDecision]) => ({
    EvalActionName,
    EvalDecision,
  }))
  const asked = vi.spyOn(iam, 'send').mockImplementation(async () => ({ EvaluationResults }))
  expect(await readKeyRights(kms, iam, 'arn:aws:iam::123456789012:user/alice')).toEqual({
    denied: ['kms:CreateKey', 'kms:TagResource'],
  })
  // What CloudFormation does with infra/keys.yml.
  const ActionNames = ['CreateKey', 'DescribeKey', 'EnableKeyRotation', 'PutKeyPolicy', 'TagResource']
  expect(asked.mock.lastCall?.[0].input).toMatchObject({ ActionNames: ActionNames.map((name) => `kms:${name}`) })
})

test('an unavailable KMS does not count as allowed', async () => {
  const [kms, iam] = [new KMSClient({ region: 'eu-central-1' }), new IAMClient({ region: 'eu-central-1' })]
  vi.spyOn(kms, 'send').mockImplementation(async () => Promise.reject(new Error('no answer')))
  vi.spyOn(iam, 'send').mockImplementation(async () => ({ EvaluationResults: [] }))
  await expect(readKeyRights(kms, iam, 'arn:aws:iam::123456789012:user/alice')).rejects.toThrow('no answer')
})

test('the root user has no policies, and a missing permission to simulate is no failure', async () => {
  const [kms, iam] = [new KMSClient({ region: 'eu-central-1' }), new IAMClient({ region: 'eu-central-1' })]
  vi.spyOn(kms, 'send').mockImplementation(async () => ({}))
  const asked: object[] = []
  vi.spyOn(iam, 'send').mockImplementation(async ({ input }) => {
    asked.push(input)
    if ('RoleName' in input) return { Role: { Arn: 'arn:aws:iam::123456789012:role/path/deployer' } }
    throw new Error('not allowed')
  })
  expect(await readKeyRights(kms, iam, 'arn:aws:iam::123456789012:root')).toEqual({ denied: undefined })
  expect(asked).toEqual([])
  const session = 'arn:aws:sts::123456789012:assumed-role/deployer/alice'
  expect(await readKeyRights(kms, iam, session)).toEqual({ denied: undefined })
  expect(asked).toMatchObject([
    { RoleName: 'deployer' },
    { PolicySourceArn: 'arn:aws:iam::123456789012:role/path/deployer' },
  ])
})
