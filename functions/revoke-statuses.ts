/** RevokeStatuses: revokes the credentials of many issuance sessions, in the background. */
import { command } from '../lib/http/command.ts'
import { RevokeStatuses } from '../lib/interface/openid4vci.ts'
import { loadIssuer } from '../lib/openid4vci/issuers.ts'
import { startRevocation } from '../lib/openid4vci/status.ts'

export const revokeStatuses = command(RevokeStatuses, async ({ body, unit }) => {
  if ('publicIssuerId' in body) await loadIssuer(unit, body.publicIssuerId)
  return { id: startRevocation(unit, body) }
})
