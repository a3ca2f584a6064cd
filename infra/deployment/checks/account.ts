/**
 * Checks of the account: credentials, region, concurrency, quotas, and the permissions to write logs and create keys.
 */
import type { Account } from '../account.ts'
import { type CapSettings, capLosses, capsOf, didcommLosses, NEW_ACCOUNT_CONCURRENCY } from '../concurrency.ts'
import { type Finding, findingsOf } from '../finding.ts'
import { ifRead } from '../reading.ts'

/** The code of a region, such as `ap-southeast-1` or `us-gov-west-1`. */
const REGION = /^[a-z]{2,3}(-[a-z]+){1,3}-\d{1,2}$/

export const checkCredentials = ({ identity, region }: Account): Finding[] => {
  const { ok, fault } = findingsOf('credentials')
  if (!REGION.test(region))
    return findingsOf('region').fault(`${region} is not a region: --region or AWS_REGION names one`)
  if ('value' in identity) {
    const { account, arn } = identity.value
    return [...ok(`account ${account} as ${arn}`), ...findingsOf('region').ok(region)]
  }
  const { kind, message } = identity.failure
  if (kind === 'unauthenticated')
    return fault(`AWS rejects them: log in, or set AWS_PROFILE or AWS_ACCESS_KEY_ID (${message})`)
  return fault(`AWS is unreachable in ${region}: is the region enabled for the account? (${message})`)
}

const CONCURRENCY = 'concurrency'

export const checkConcurrency = ({ lambda }: Account, settings: CapSettings): Finding[] => {
  if ('failure' in lambda && lambda.failure.kind === 'unavailable') {
    const { action, message } = lambda.failure
    return findingsOf(CONCURRENCY).warning(
      `${action} failed, so the ${NEW_ACCOUNT_CONCURRENCY} of a new account are assumed (${message})`,
    )
  }
  return ifRead(CONCURRENCY, lambda, ({ unreserved }, { ok, warning }) => {
    const caps = capsOf(unreserved, settings)
    const losses = [...capLosses(unreserved, caps), ...didcommLosses(unreserved, settings)]
    if (losses.length > 0) return losses.flatMap(warning)
    return ok(
      `${unreserved} concurrent functions, of which deliveries take ${caps.deliver + caps.deliverSlowly} at most`,
    )
  })
}

/** Bytes of the zips of all functions. */
const CODE_BYTES = 100_000_000

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const checkCodeStorage = ({ lambda }: Account): Finding[] => {
  const { ok, fault } = findingsOf('code storage')
  // If it cannot be read, `checkConcurrency` reports that.
  const codeLeft = 'value' in lambda ? lambda.value.codeLeft : undefined
  if (codeLeft === undefined) return []
  const megabytes = (bytes: number) => `${Math.floor(bytes / 1e6)} MB`
  if (codeLeft >= CODE_BYTES) return ok(`room for ${megabytes(codeLeft)} more`)
  return fault(
    `Lambda accepts ${megabytes(codeLeft)} more code in this region, and a deployment needs up to ${megabytes(CODE_BYTES)}: delete functions, or ask for more in Service Quotas (Lambda, "Function and layer storage")`,
  )
}

/** Write units for issuing a credential, with all messages (docs/cost.md). */
export const CREDENTIAL_WRITES = 52

/**
 * Write units a second that a new on-demand table accepts; later twice its previous peak.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html
 */
const NEW_TABLE_WRITES = 4_000

const checkTableWrites = (tableWrites: number, operationRate: number): Finding[] => {
  const { ok, warning } = findingsOf('table writes')
  const credentials = (units: number) =>
    `${units} write units a second (${Math.round(units / CREDENTIAL_WRITES)} credentials)`
  return operationRate * CREDENTIAL_WRITES > tableWrites
    ? warning(
        `OPERATION_RATE is ${operationRate} requests a second, and a table accepts ${credentials(tableWrites)}: ask for more in Service Quotas (DynamoDB, L-AB614373)`,
      )
    : ok(`${credentials(tableWrites)}; a new table begins with ${credentials(NEW_TABLE_WRITES)}`)
}

/** `paths`: of the API; `newRoles`: roles that the stack will create. */
export const checkQuotas = (
  { quotas, roles }: Account,
  { paths, newRoles, operationRate }: { paths: readonly string[]; newRoles: number; operationRate: number },
): Finding[] => [
  ...ifRead('quotas', quotas, ({ apiResources, apiRate, tableWrites }, { ok, warning, fault }) => {
    const resources = countResources(paths)
    const findings: Finding[] = []
    if (resources > apiResources)
      findings.push(
        ...fault(
          `the API has ${resources} resources, the account allows ${apiResources}: ask for more in Service Quotas (API Gateway, L-01C8A9E0)`,
        ),
      )
    if (operationRate > apiRate)
      findings.push(
        ...warning(
          `OPERATION_RATE is ${operationRate} requests a second, the account has ${apiRate} for all APIs of the region`,
        ),
      )
    if (findings.length === 0) findings.push(...ok(`${resources} of ${apiResources} resources of an API`))
    return [...findings, ...checkTableWrites(tableWrites, operationRate)]
  }),
  ...ifRead('roles', roles, ({ used, most }, { ok, fault }) =>
    used + newRoles > most
      ? fault(
          `${newRoles} roles will be created, and ${used} of ${most} exist: ask for more in Service Quotas (IAM, L-FE177D64)`,
        )
      : ok(`${used} of ${most} exist, and ${newRoles} will be created`),
  ),
]

/** Each part of a path is a resource, and so is the root. */
const countResources = (paths: readonly string[]): number =>
  new Set(
    paths.flatMap((path) => {
      const parts = path.split('/').filter((part) => part !== '')
      return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))]
    }),
  ).size

export const checkKeyRights = ({ keyRights }: Account, makesKey: boolean): Finding[] =>
  ifRead('KMS rights', keyRights, ({ denied }, { ok, fault }) => {
    if (!makesKey) return ok('no key will be created')
    if (denied === undefined) return ok('KMS is available; whether IAM allows creating the key is unknown')
    if (denied.length === 0) return ok('the key may be created')
    return fault(`IAM denies ${denied.join(', ')}: allow them to the deploying user or role`)
  })

export const checkCloudWatchRole = ({ gateway }: Account): Finding[] =>
  ifRead('CloudWatch role of API Gateway', gateway, ({ cloudWatchRole, roleExists }, { ok, fault }) => {
    if (cloudWatchRole === undefined) return ok('the account has none in this region; deploy creates and sets it')
    if (roleExists) return ok(cloudWatchRole)
    return fault(
      `${cloudWatchRole} is set but does not exist: remove it with \`aws apigateway update-account --patch-operations op=replace,path=/cloudwatchRoleArn,value=\`, and deploy sets another`,
    )
  })
