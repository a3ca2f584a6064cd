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
  ifRead('stack', stack, (there, { ok, fault }) => {
    if (there === undefined) return ok(`${stackName} is to be made`)
    if (USABLE.has(there.status)) return ok(`${stackName} is in ${there.status}`)
    return fault(`${stackName} is in ${there.status}: ${remedy(stackName, there.status)}`)
  })

/** A stack that begins with an empty table beside one that is left has probably forgotten it. */
export const checkTables = (
  { tables, stack }: Account,
  { EXISTING_TABLE, ALLOW_NEW_TABLE }: NodeJS.ProcessEnv,
): Finding[] =>
  ifRead('tables', tables, (names, { ok, warning, fault }) => {
    const own = 'value' in stack ? stack.value?.physicalIds[TABLE] : undefined
    // If the stack can't be read, which `checkStack` reports, it is not known which of them is its own.
    const left = 'value' in stack ? names.filter((name) => name !== own && name !== EXISTING_TABLE) : []
    if (left.length === 0) return ok('none is left of an earlier stack')
    const message = `${left.join(', ')}: left of an earlier stack`
    if (own !== undefined || EXISTING_TABLE !== undefined || ALLOW_NEW_TABLE === 'true') return warning(message)
    const remedy = 'EXISTING_TABLE and EXISTING_KEY use it again, ALLOW_NEW_TABLE=true does without'
    return fault(`${message}, and this one would begin with an empty table: ${remedy}`)
  })
