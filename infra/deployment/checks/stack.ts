/** Checks of the existing stack, and of tables that earlier stacks of this name have left behind. */
import type { Account } from '../account.ts'
import type { Finding } from '../finding.ts'
import { ifRead } from '../reading.ts'
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
 * What the operator can do if the stack is in a state in which it cannot be updated.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
 */
const remedy = (stackName: string, status: string): string => {
  const of = `aws cloudformation`
  const named = `--stack-name ${stackName}`
  const remove = `\`${of} delete-stack ${named}\`, and deploy again`
  switch (status) {
    case 'ROLLBACK_COMPLETE':
    case 'CREATE_FAILED':
      return `its first deployment failed, and it accepts no update: ${remove}`
    case 'ROLLBACK_FAILED':
      return `its first deployment failed, and so did the rollback: ${remove}; if that fails, see what it could not delete`
    case 'UPDATE_ROLLBACK_FAILED':
      return `an update failed, and so did its rollback: fix what the stack's events name, then \`${of} continue-update-rollback ${named}\``
    case 'DELETE_FAILED':
      return `it could not be deleted: delete what its events name, or keep it, with \`${of} delete-stack ${named} --retain-resources <ids>\``
    case 'REVIEW_IN_PROGRESS':
      return `a change set of it waits for review: execute it, or ${remove}`
    default:
      return /_IN_PROGRESS$/.test(status)
        ? 'an operation on it is in progress: wait until it ends'
        : `it accepts no update in this state: see its events`
  }
}

export const checkStack = ({ stack }: Account, stackName: string): Finding[] =>
  ifRead('stack', stack, (there, { ok, fault }) => {
    if (there === undefined) return ok(`${stackName} will be created`)
    if (USABLE.has(there.status)) return ok(`${stackName} is in ${there.status}`)
    return fault(`${stackName} is in ${there.status}: ${remedy(stackName, there.status)}`)
  })

/** A new stack with an empty table, beside a table of an earlier stack, is probably a mistake. */
export const checkTables = (
  { tables, stack }: Account,
  { EXISTING_TABLE, ALLOW_NEW_TABLE }: NodeJS.ProcessEnv,
): Finding[] =>
  ifRead('tables', tables, (names, { ok, warning, fault }) => {
    const own = 'value' in stack ? stack.value?.physicalIds[TABLE] : undefined
    // If the stack cannot be read, which `checkStack` reports, it is unknown which table is its own.
    const left = 'value' in stack ? names.filter((name) => name !== own && name !== EXISTING_TABLE) : []
    if (left.length === 0) return ok('none is left of an earlier stack')
    const message = `${left.join(', ')}: left of an earlier stack`
    if (own !== undefined || EXISTING_TABLE !== undefined || ALLOW_NEW_TABLE === 'true') return warning(message)
    const remedy = 'EXISTING_TABLE and EXISTING_KEY use it again, ALLOW_NEW_TABLE=true starts with an empty one'
    return fault(`${message}, and this one would start with an empty table: ${remedy}`)
  })
