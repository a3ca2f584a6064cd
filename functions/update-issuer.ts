/** UpdateIssuer: replaces the settings of an issuer. */
import { command } from '../lib/http/command.ts'
import { UpdateIssuer } from '../lib/interface/openid4vci-issuers.ts'
import { updateIssuer as replaceSettings } from '../lib/openid4vci/issuers.ts'

export const updateIssuer = command(UpdateIssuer, ({ path, body, unit }) => replaceSettings(unit, path.issuerId, body))
