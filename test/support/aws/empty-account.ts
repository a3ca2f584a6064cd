/** An account with nothing of a stack. */
import { NoSuchResourceException } from '@aws-sdk/client-service-quotas'
import type { Answers } from './answers.ts'

export const failure = (name: string, message: string): Error => Object.assign(new Error(message), { name })

export const EMPTY_ACCOUNT: Answers = {
  GetCallerIdentityCommand: { Account: '123456789012', Arn: 'arn:aws:iam::123456789012:user/operator' },
  GetAccountSettingsCommand: {
    AccountLimit: { ConcurrentExecutions: 1000, TotalCodeSize: 80e9 },
    AccountUsage: { TotalCodeSize: 1e9 },
  },
  GetServiceQuotaCommand: new NoSuchResourceException({ message: 'none', $metadata: {} }),
  GetAccountSummaryCommand: { SummaryMap: { Roles: 12, RolesQuota: 500 } },
  GetAccountCommand: { cloudwatchRoleArn: '' },
  ListKeysCommand: {},
  SimulatePrincipalPolicyCommand: { EvaluationResults: [] },
  DescribeStacksCommand: failure('ValidationError', 'Stack with id agent-prod does not exist'),
  ListTablesCommand: { TableNames: [] },
}
