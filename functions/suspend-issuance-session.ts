/** SuspendIssuanceSession: suspends the credentials of an issuance session until they are resumed. */
import { command } from '../lib/http/command.ts'
import { SuspendIssuanceSession } from '../lib/interface/openid4vci.ts'
import { showSession } from '../lib/openid4vci/session.ts'
import { changeStatus } from '../lib/openid4vci/status.ts'

export const suspendIssuanceSession = command(SuspendIssuanceSession, async ({ path, unit }) => {
  const { session } = await changeStatus(unit, path.issuanceSessionId, 'suspended')
  return showSession(session)
})
