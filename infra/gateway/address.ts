/** The address of a stage, which wallets store permanently: its settings, and what is derived from them. */
import * as v from 'valibot'
import { described, parseSettings } from '../settings.ts'

/** The name of a stage for development only: its address may end with its stack. */
export const DEVELOPMENT = 'dev'

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

export const AddressSettings = v.object({
  PUBLIC_URL: described(
    v.optional(
      v.pipe(
        v.string(),
        v.url('is not a URL'),
        v.regex(/^[^?#@]*$/, 'has a query, a fragment or credentials'),
        v.regex(/[^/]$/, 'ends with a slash'),
      ),
    ),
    'Public base URL, which wallets store, without a trailing slash. Outside dev it or DOMAIN_NAME is required.',
  ),
  DOMAIN_NAME: described(
    v.optional(
      v.pipe(v.string(), v.regex(new RegExp(`^(${LABEL}\\.)+${LABEL}$`), 'is not a domain name in lower case')),
    ),
    'Domain of the API, as `agent.example.org`.',
  ),
  CERTIFICATE_ARN: described(
    v.optional(
      v.pipe(
        v.string(),
        v.regex(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'is not an ARN of a certificate of ACM'),
      ),
    ),
    "Certificate of DOMAIN_NAME, in the stage's region; with it the stack makes the domain.",
  ),
  HOSTED_ZONE_ID: described(
    v.optional(v.pipe(v.string(), v.regex(/^[A-Z0-9]{1,32}$/, 'is not an id of a hosted zone'))),
    'Zone of Route 53 in which the stack makes the record of DOMAIN_NAME.',
  ),
  BASE_PATH: described(
    v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,100}$/, 'is not one part of a path'))),
    'First part of all paths at DOMAIN_NAME, without slashes.',
  ),
  KEEP_DOMAIN: described(
    v.optional(v.pipe(v.string(), v.regex(/^(true|false)$/, 'is neither true nor false'))),
    '`true` keeps the domain and its record when the stack no longer has them.',
  ),
})

export type Address = ReturnType<typeof addressOf>

/** Throws an error that names the setting. */
export const addressOf = (environment: NodeJS.ProcessEnv, stage: string, region: string) => {
  const settings = parseSettings(AddressSettings, environment)
  const { PUBLIC_URL, DOMAIN_NAME, CERTIFICATE_ARN, HOSTED_ZONE_ID, BASE_PATH, KEEP_DOMAIN } = settings
  if (DOMAIN_NAME === undefined) {
    const [alone] = Object.entries({ CERTIFICATE_ARN, HOSTED_ZONE_ID, BASE_PATH }).filter(([, value]) => value)
    if (alone !== undefined) throw new Error(`${alone[0]}: has no meaning without DOMAIN_NAME`)
  }
  if (HOSTED_ZONE_ID !== undefined && CERTIFICATE_ARN === undefined)
    throw new Error('HOSTED_ZONE_ID: has no meaning without CERTIFICATE_ARN')
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-regional-api-custom-domain-create.html
  if (CERTIFICATE_ARN !== undefined && CERTIFICATE_ARN.split(':')[3] !== region)
    throw new Error(`CERTIFICATE_ARN: a certificate must be in ${region}`)

  const path = BASE_PATH === undefined ? '' : `/${BASE_PATH}`
  const publicUrl = PUBLIC_URL ?? (DOMAIN_NAME === undefined ? undefined : `https://${DOMAIN_NAME}${path}`)
  if (stage !== DEVELOPMENT && !publicUrl?.startsWith('https://'))
    throw new Error(
      publicUrl === undefined
        ? `PUBLIC_URL: is not set, and DOMAIN_NAME neither: wallets keep the address of the stage ${stage} permanently`
        : `PUBLIC_URL: must be https for the stage ${stage}`,
    )
  return {
    /** Undefined: that of the API itself. */
    publicUrl,
    /** Whether the stack makes the domain, and its record. */
    makesDomain: CERTIFICATE_ARN !== undefined,
    makesRecord: HOSTED_ZONE_ID !== undefined,
    keepsDomain: KEEP_DOMAIN === 'true',
  }
}
