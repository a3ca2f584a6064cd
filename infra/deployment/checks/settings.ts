/** Checks the settings in the environment, with a line for each that is invalid or probably unintended. */
import { invalidUrlReason } from '../../../lib/egress/address-guard.ts'
import { DEVELOPMENT } from '../../gateway/address.ts'
import { withoutEmpty } from '../../settings.ts'
import { type Finding, findingsOf } from '../finding.ts'
import { settingsProblems } from '../settings.ts'

export const checkSettings = (environment: NodeJS.ProcessEnv, stage: string, region: string): Finding[] => {
  const { ok, warning, fault } = findingsOf('settings')
  const problems = settingsProblems(environment, stage, region)
  if (problems.length > 0) return problems.flatMap(fault)
  const doubts = stage === DEVELOPMENT ? [] : addressDoubts(withoutEmpty(environment))
  if (doubts.length > 0) return doubts.flatMap(warning)
  return ok('as they are described')
}

/** Warnings about `PUBLIC_URL`, which wallets store permanently. */
const addressDoubts = ({ PUBLIC_URL, DOMAIN_NAME, CERTIFICATE_ARN }: NodeJS.ProcessEnv): string[] => {
  if (PUBLIC_URL === undefined) return []
  const rejection = invalidUrlReason(PUBLIC_URL, { local: false })
  const { hostname } = new URL(PUBLIC_URL)
  return [
    ...(rejection === undefined
      ? []
      : [`PUBLIC_URL: ${rejection}: other hosts cannot reach ${hostname}, or reject it`]),
    ...(CERTIFICATE_ARN === undefined || DOMAIN_NAME === hostname
      ? []
      : [
          `PUBLIC_URL is at ${hostname}, and the stack makes ${DOMAIN_NAME}: wallets store the first; leave PUBLIC_URL out if they are to store the other`,
        ]),
  ]
}
