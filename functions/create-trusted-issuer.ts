/** CreateTrustedIssuer: trusts an issuer for types of credentials. */
import { command } from '../lib/http/command.ts'
import { CreateTrustedIssuer } from '../lib/interface/openid4vp.ts'
import { createTrustedIssuer as insertTrustedIssuer } from '../lib/openid4vp/trusted-issuers.ts'

export const createTrustedIssuer = command(CreateTrustedIssuer, ({ body, unit }) => insertTrustedIssuer(unit, body))
