/** `npm run token`: prints one token of the local stage's issuer, and nothing else. */
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { ROLES } from '../../lib/auth/grants.ts'
import { EntityId } from '../../lib/records/tenant.ts'
import { reason, StageFailure } from '../failure.ts'
import { localIssuer, type TokenClaims } from './issuer.ts'
import { localSettings } from './settings.ts'

const OPTIONS = {
  role: { type: 'string', default: 'RestRootAgentWithTenants' },
  tenant: { type: 'string' },
  org: { type: 'string', multiple: true },
  subject: { type: 'string' },
  expires: { type: 'string', default: '1h' },
} as const

const Arguments = v.object({
  role: v.picklist(ROLES, `--role is one of ${ROLES.join(', ')}`),
  tenant: v.optional(
    v.pipe(
      v.string(),
      v.check((id) => v.is(EntityId, id), '--tenant is 1 to 64 characters of A-Z a-z 0-9 . _ : -'),
    ),
  ),
  org: v.optional(
    v.array(v.pipe(v.string(), v.regex(/^[A-Za-z0-9._:-]{1,64}:[^:]+$/, '--org is <organization>:<role>'))),
    [],
  ),
  subject: v.optional(v.string()),
  expires: v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}[smhd]$/, '--expires is a time such as 90s, 15m, 12h or 7d')),
})

/** An organization's id may hold colons; a role does not. */
const organizationsOf = (pairs: string[]): Record<string, string[]> => {
  const split = pairs.map((pair) => ({
    orgId: pair.slice(0, pair.lastIndexOf(':')),
    role: pair.slice(pair.lastIndexOf(':') + 1),
  }))
  const byOrganization = Map.groupBy(split, ({ orgId }) => orgId)
  return Object.fromEntries([...byOrganization].map(([orgId, roles]) => [orgId, roles.map(({ role }) => role)]))
}

/** Reads the command line. Throws `StageFailure`. */
export const claimsOf = (args: string[]): TokenClaims => {
  const { values } = parseArgs({ args, options: OPTIONS })
  const result = v.safeParse(Arguments, values)
  if (!result.success) throw new StageFailure(result.issues[0].message)
  const { role, tenant, org, subject, expires } = result.output
  if ((role === 'RestTenantAgent') !== (tenant !== undefined)) {
    throw new StageFailure('--tenant is needed with --role RestTenantAgent, and with that role only')
  }
  return { role, tenantId: tenant, organizations: organizationsOf(org), subject, expires }
}

if (import.meta.main) {
  try {
    const issuer = await localIssuer(localSettings(process.env).issuerDir)
    console.log(await issuer.sign(claimsOf(process.argv.slice(2))))
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}
