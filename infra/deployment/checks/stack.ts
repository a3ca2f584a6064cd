/** Checks of the existing stack, and of what earlier stacks of this name have left behind. */
import type { Account, Stack } from '../account.ts'
import { type Finding, fault, ok, warning } from '../finding.ts'
import { ifRead, type Reading } from '../reading.ts'
import { TABLE } from '../template.ts'

/** States in which a stack can be updated. */
const USABLE = new Set([
  'CREATE_COMPLETE',
  'UPDATE_COMPLETE',
  'UPDATE_ROLLBACK_COMPLETE',
  'IMPORT_COMPLETE',
  'IMPORT_ROLLBACK_COMPLETE',
  // Only old resources are still being deleted; the next update waits for that.
  'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS',
])

/**
 * What to do about a state in which the stack can't be updated.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
 */
const remedy = (stackName: string, status: string): string => {
  const of = `aws cloudformation`
  const named = `--stack-name ${stackName}`
  const remove = `\`${of} delete-stack ${named}\`, and deploy again`
  switch (status) {
    case 'ROLLBACK_COMPLETE':
    case 'CREATE_FAILED':
      return `its first deployment failed, and it takes no update: ${remove}`
    case 'ROLLBACK_FAILED':
      return `its first deployment failed, and so did the rollback: ${remove}; if that fails, see what it could not delete`
    case 'UPDATE_ROLLBACK_FAILED':
      return `an update failed, and so did its rollback: mend what the stack's events name, then \`${of} continue-update-rollback ${named}\``
    case 'DELETE_FAILED':
      return `it could not be deleted: delete what its events name, or keep it, with \`${of} delete-stack ${named} --retain-resources <ids>\``
    case 'REVIEW_IN_PROGRESS':
      return `a change set of it waits to be looked at: carry it out, or ${remove}`
    default:
      return /_IN_PROGRESS$/.test(status)
        ? 'somebody is changing it now: wait until it is done'
        : `it takes no update in this state: see its events`
  }
}

export const checkStack = ({ stack }: Account, stackName: string): Finding[] =>
  ifRead('stack', stack, (there) => {
    if (there === undefined) return [ok('stack', `${stackName} is to be made`)]
    if (USABLE.has(there.status)) return [ok('stack', `${stackName} is in ${there.status}`)]
    return [fault('stack', `${stackName} is in ${there.status}: ${remedy(stackName, there.status)}`)]
  })

/** Physical ids of the stack's resources; undefined if they are not known: then nothing is reported as left over. */
const ownIds = (stack: Reading<Stack | undefined>): Set<string> | undefined =>
  'value' in stack ? new Set(Object.values(stack.value?.physicalIds ?? {})) : undefined

/** Things with names like those of this stack that do not belong to it. */
const leftOvers = <T>(
  check: string,
  account: Account,
  reading: Reading<T[]>,
  idOf: (one: T) => string,
  say: (left: T[]) => Finding,
): Finding[] =>
  ifRead(check, reading, (all) => {
    const own = ownIds(account.stack)
    const left = own === undefined ? [] : all.filter((one) => !own.has(idOf(one)))
    return [left.length === 0 ? ok(check, 'none is left of an earlier stack') : say(left)]
  })

/** A stack that begins with an empty table beside one that is left has probably forgotten it. */
export const checkTables = (account: Account, { EXISTING_TABLE, ALLOW_NEW_TABLE }: NodeJS.ProcessEnv): Finding[] => {
  const { tables } = account
  const others = 'value' in tables ? { value: tables.value.filter((name) => name !== EXISTING_TABLE) } : tables
  const hasTable = 'value' in account.stack && account.stack.value?.physicalIds[TABLE] !== undefined
  const isMeant = hasTable || EXISTING_TABLE !== undefined || ALLOW_NEW_TABLE === 'true'
  return leftOvers(
    'tables',
    account,
    others,
    (name) => name,
    (left) => {
      const names = `${left.join(', ')}: left of an earlier stack`
      if (isMeant) return warning('tables', names)
      const remedy = 'EXISTING_TABLE and EXISTING_KEY use it again, ALLOW_NEW_TABLE=true does without'
      return fault('tables', `${names}, and this one would begin with an empty table: ${remedy}`)
    },
  )
}

/** `named`: the names that the template gives to log groups. If one exists already, the deployment would fail. */
export const checkLogGroups = (account: Account, named: readonly string[]): Finding[] =>
  leftOvers(
    'log groups',
    account,
    withoutFunctions(account),
    (name) => name,
    (left) => {
      const inTheWay = left.filter((name) => named.includes(name))
      const names = shortened(inTheWay.length > 0 ? inTheWay : left)
      const command = '`aws logs delete-log-group --log-group-name <name>`'
      return inTheWay.length > 0
        ? fault('log groups', `${names}: left of an earlier stack, and in the way of this one: ${command}`)
        : warning('log groups', `${names}: left of an earlier stack; nothing writes to it any more: ${command}`)
    },
  )

/** The log group of a function belongs to the function's stack, whoever created it. */
const withoutFunctions = ({ logGroups, stack }: Account): Account['logGroups'] => {
  const own = ownIds(stack)
  if ('failure' in logGroups) return logGroups
  return { value: logGroups.value.filter((name) => !own?.has(name.replace('/aws/lambda/', ''))) }
}

/** `values`: those that the template gives to API keys. They are unique in an account. */
export const checkApiKeys = (account: Account, values: readonly string[]): Finding[] =>
  leftOvers(
    'API keys',
    account,
    account.apiKeys,
    ({ id }) => id,
    (left) => {
      const inTheWay = left.filter(({ value }) => values.includes(value))
      const names = shortened((inTheWay.length > 0 ? inTheWay : left).map(({ name, id }) => `${name} (${id})`))
      const command = '`aws apigateway delete-api-key --api-key <id>`'
      return inTheWay.length > 0
        ? fault('API keys', `${names}: their values are those of keys to be made: ${command}`)
        : warning('API keys', `${names}: left of an earlier stack; nobody is counted by them: ${command}`)
    },
  )

/** The first names of many. */
const shortened = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
