/** UpdateIssuanceSession: adds to the tenant's own data of an issuance session. */
import { command } from '../lib/http/command.ts'
import { UpdateIssuanceSession } from '../lib/interface/openid4vci.ts'
import { mergeMetadata } from '../lib/openid4vci/issuance-metadata.ts'
import { showSession } from '../lib/openid4vci/session.ts'

export const updateIssuanceSession = command(UpdateIssuanceSession, async ({ path, body, unit }) =>
  showSession(await mergeMetadata(unit, path.issuanceSessionId, body)),
)
