/** The address of a stage, which wallets keep for ever: what is set of it, and what follows from that. */
import * as v from 'valibot'
import { parseSettings } from './settings.ts'

/** Where a stage is that only its developers use: its address may end with its stack. */
const DEVELOPMENT = 'dev'

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

export const AddressSettings = v.object({
  /** Where everybody reaches the service. By default, that of the domain. */
  PUBLIC_URL: v.optional(v.pipe(v.string(), v.url('is no URL'), v.regex(/[^/]$/, 'ends with a slash'))),
  /** Of the API, as `agent.example.org`. */
  DOMAIN_NAME: v.optional(
    v.pipe(v.string(), v.regex(new RegExp(`^(${LABEL}\\.)+${LABEL}$`), 'is no domain name in lower case')),
  ),
  /** ACM's, of the stage's region. With it the stack makes the domain; without it somebody else has made it. */
  CERTIFICATE_ARN: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'is no ARN of a certificate of ACM'),
    ),
  ),
  /** Route 53's, for the domain's record; without it somebody else makes the record. */
  HOSTED_ZONE_ID: v.optional(v.pipe(v.string(), v.regex(/^[A-Z0-9]{1,32}$/, 'is no id of a hosted zone'))),
  /** What paths begin with at the domain, without slashes. */
  BASE_PATH: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,100}$/, 'is not one part of a path'))),
  /** Whether domain, mapping and record stay when the stack no longer has them: for moving them to another stack. */
  KEEP_DOMAIN: v.optional(v.pipe(v.string(), v.regex(/^(true|false)$/, 'is neither true nor false'))),
})

export interface Address {
  /** Undefined: that of the API itself. */
  publicUrl: string | undefined
  /** Whether the stack makes the domain, and its record. */
  makesDomain: boolean
  makesRecord: boolean
  keepsDomain: boolean
}

/** Throws an error that names the setting. */
export const addressOf = (environment: NodeJS.ProcessEnv, stage: string, region: string): Address => {
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
    throw new Error(`CERTIFICATE_ARN: a certificate has to be in ${region}`)

  const path = BASE_PATH === undefined ? '' : `/${BASE_PATH}`
  const publicUrl = PUBLIC_URL ?? (DOMAIN_NAME === undefined ? undefined : `https://${DOMAIN_NAME}${path}`)
  if (stage !== DEVELOPMENT && !publicUrl?.startsWith('https://'))
    throw new Error(
      publicUrl === undefined
        ? `PUBLIC_URL: is not set, and DOMAIN_NAME neither: wallets keep the address of the stage ${stage} for ever`
        : `PUBLIC_URL: is not https, as that of the stage ${stage} has to be`,
    )
  return {
    publicUrl,
    makesDomain: CERTIFICATE_ARN !== undefined,
    makesRecord: HOSTED_ZONE_ID !== undefined,
    keepsDomain: KEEP_DOMAIN === 'true',
  }
}
