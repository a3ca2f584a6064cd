/** DeleteIssuanceSession: deletes an issuance session with its claims. */
import { AgentError } from '../lib/errors.ts'
import { command } from '../lib/http/command.ts'
import { DeleteIssuanceSession } from '../lib/interface/openid4vci.ts'
import { deleteClaims } from '../lib/openid4vci/claims-item.ts'
import { issuanceSessionRecords } from '../lib/records/openid-kinds.ts'

export const deleteIssuanceSession = command(DeleteIssuanceSession, async ({ agent, path, unit }) => {
  if (!(await unit.remove(agent, issuanceSessionRecords.type, path.issuanceSessionId)))
    throw new AgentError('resource.not_found', 'there is no such record')
  deleteClaims(unit, path.issuanceSessionId)
  return undefined
})
