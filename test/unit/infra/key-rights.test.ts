/** What IAM would refuse to whoever deploys. */
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
  vi.spyOn(iam, 'send').mockImplementation(async () => ({ EvaluationResults }))
  expect(await readKeyRights(kms, iam, 'arn:aws:iam::123456789012:user/alice')).toEqual({
    denied: ['kms:CreateKey', 'kms:TagResource'],
  })
})
