/** Whether a function may make a call: by its role, or always while calls are recorded. */
import { ACCESS } from '../access.ts'
import type { IsAllowed } from './guard.ts'
import { allows } from './policy.ts'
import { recorder } from './recorder.ts'
import { statementsOf } from './statements.ts'

/** With `RECORD_CALLS` every call is allowed, and recorded in that folder (`npm run record-calls`). */
export const roleCheck = (): IsAllowed => {
  const { RECORD_CALLS } = process.env
  if (RECORD_CALLS !== undefined) return recorder(RECORD_CALLS)
  const roles = new Map(Object.entries(ACCESS).map(([key, rights]) => [key, statementsOf(rights)]))
  return (functionKey, call) => allows(roles.get(functionKey) ?? [], call)
}
