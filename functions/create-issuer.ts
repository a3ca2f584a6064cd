/** CreateIssuer: creates an issuer of OpenID4VCI. */
import { command } from '../lib/http/command.ts'
import { CreateIssuer } from '../lib/interface/openid4vci-issuers.ts'
import { createIssuer as insertIssuer } from '../lib/openid4vci/issuers.ts'

export const createIssuer = command(CreateIssuer, ({ body, unit }) => insertIssuer(unit, body))
