/** RevokeIssuanceSession: revokes the credentials of an issuance session permanently. */
import { command } from '../lib/http/command.ts'
import { RevokeIssuanceSession } from '../lib/interface/openid4vci.ts'
import { showSession } from '../lib/openid4vci/session.ts'
import { revokeSession } from '../lib/openid4vci/status.ts'

export const revokeIssuanceSession = command(RevokeIssuanceSession, async ({ path, unit }) =>
  showSession(await revokeSession(unit, path.issuanceSessionId)),
)
