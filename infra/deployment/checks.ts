/** All checks of a deployment: of its settings, of the account, and of the packaged template. */
import * as v from 'valibot'
import { ofType, type Template } from '../service.ts'
import { withoutEmpty } from '../settings.ts'
import type { Account } from './account.ts'
import {
  checkCloudWatchRole,
  checkCodeStorage,
  checkConcurrency,
  checkCredentials,
  checkKeyRights,
  checkQuotas,
} from './checks/account.ts'
import { checkAddress, checkSameAddress } from './checks/address.ts'
import { type AnonCredsPlan, checkAnonCreds } from './checks/anoncreds.ts'
import { checkData } from './checks/data.ts'
import { checkSettings } from './checks/settings.ts'
import { checkStack, checkTables } from './checks/stack.ts'
import { checkEnvironments, checkNames, checkStageName, checkTemplate } from './checks/template.ts'
import type { Finding } from './finding.ts'
import { DeploymentSettings } from './settings.ts'
import { SEALING_KEY } from './template.ts'

/** What will be deployed, as far as it is known before packaging. */
export interface Plan {
  stage: string
  region: string
  stackName: string
  /** The stage's address: a URL, or an expression of the template. */
  publicUrl: unknown
  environment: NodeJS.ProcessEnv
  /** Of the API. */
  paths: readonly string[]
  functionNames: readonly string[]
  anonCreds: AnonCredsPlan
  /** Of the table. */
  indexes: readonly string[]
}

/** Checks that need neither a package nor AWS. */
export const checkPlan = ({
  environment,
  stage,
  region,
  functionNames,
  anonCreds,
}: Pick<Plan, 'environment' | 'stage' | 'region' | 'functionNames' | 'anonCreds'>): Finding[] => [
  ...checkSettings(environment, stage, region),
  ...checkStageName(stage, functionNames),
  ...checkAnonCreds(anonCreds, environment),
]

/** Checks of the account, before packaging. Invalid settings were reported by `checkPlan`. */
export const checkAccount = (account: Account, { environment, stackName, indexes, publicUrl }: Plan): Finding[] => {
  const credentials = checkCredentials(account)
  if ('failure' in account.identity) return credentials
  const values = withoutEmpty(environment)
  return [
    ...credentials,
    ...checkConcurrency(account, capSettings(environment)),
    ...checkCodeStorage(account),
    ...checkCloudWatchRole(account),
    ...checkStack(account, stackName),
    ...checkData(account, values, indexes),
    ...(values.ALLOW_NEW_ADDRESS === 'true' ? [] : checkSameAddress(account, publicUrl)),
    ...checkAddress(account),
    ...checkTables(account, values),
  ]
}

/** Checks of the packaged template, and of the account for it. */
export const checkPackaged = (account: Account, plan: Plan, template: Template): Finding[] => {
  const { region, identity } = account
  const ofTemplate = [
    ...checkTemplate(template),
    ...checkEnvironments(template, region),
    ...checkNames(template, region, plan.stage),
  ]
  if ('failure' in identity) return ofTemplate
  const own = 'value' in account.stack ? (account.stack.value?.physicalIds ?? {}) : {}
  return [
    ...ofTemplate,
    ...checkQuotas(account, {
      paths: plan.paths,
      newRoles: ofType(template.Resources, 'AWS::IAM::Role').filter(([id]) => !(id in own)).length,
      operationRate: Number(withoutEmpty(plan.environment).OPERATION_RATE ?? 500),
    }),
    ...checkKeyRights(account, SEALING_KEY in template.Resources && !(SEALING_KEY in own)),
  ]
}

const { DELIVERY_CONCURRENCY, SLOW_DELIVERY_CONCURRENCY, DIDCOMM_RATE } = DeploymentSettings.entries

const Caps = v.object({
  DELIVERY_CONCURRENCY: v.fallback(DELIVERY_CONCURRENCY, undefined),
  SLOW_DELIVERY_CONCURRENCY: v.fallback(SLOW_DELIVERY_CONCURRENCY, undefined),
  DIDCOMM_RATE: v.fallback(DIDCOMM_RATE, undefined),
})

/** The valid ones of the settings for the account's concurrency. */
export const capSettings = (environment: NodeJS.ProcessEnv): v.InferOutput<typeof Caps> =>
  v.parse(Caps, withoutEmpty(environment))
