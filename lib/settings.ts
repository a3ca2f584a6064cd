/** The settings of the service: the environment and what was packed with the code, checked once against a schema. Nothing else reads `process.env`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { AgentError } from './errors.ts'

const json = v.rawTransform<string, unknown>(({ dataset, addIssue, NEVER }) => {
  try {
    return JSON.parse(dataset.value)
  } catch {
    addIssue({ message: 'is not JSON' })
    return NEVER
  }
})

/** A JSON-LD context that every verifier of the stage trusts. It is fetched once, and taken only with this digest. */
const TrustedContext = v.object({
  address: v.pipe(v.string(), v.url()),
  /** SHA-256 of the document as its address serves it, hexadecimal. */
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in hexadecimal')),
})

/** A ledger, and where it has several networks that of one: `sovrin:staging`. https://hyperledger.github.io/indy-did-method/#namespace-identifier */
export const INDY_NAMESPACE = /^[a-z][a-z0-9_-]{0,31}(?::[a-z][a-z0-9_-]{0,31})?$/

const IndyNamespace = v.pipe(v.string(), v.regex(INDY_NAMESPACE, 'has a name that is no namespace of did:indy'))

const NO_PROXY = 'is not a URL of http or https without query and fragment'

/** Base address of an indy-vdr-proxy, to which its routes are appended. */
const IndyProxy = v.pipe(
  v.string(NO_PROXY),
  v.url(NO_PROXY),
  v.regex(/^https?:[^?#]*$/, NO_PROXY),
  v.transform((address) => address.replace(/\/$/, '')),
)

const flag = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((value) => value === 'true'),
)

export const Settings = v.object({
  /** Name of the table. */
  TABLE_NAME: v.pipe(v.string(), v.minLength(1)),
  /** The local stage's DynamoDB and SQS. */
  DYNAMODB_ENDPOINT: v.optional(v.pipe(v.string(), v.url())),
  SQS_ENDPOINT: v.optional(v.pipe(v.string(), v.url())),
  /** FIFO queues of wake-ups: of lanes, and of those whose destination is slow. */
  WAKE_UP_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  SLOW_WAKE_UP_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  /** Queue of wake-ups with a delay, and of those of destinations. */
  TIMER_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  /** Queue of wake-ups of jobs. */
  JOB_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  /** The local stage: leases of before this time (ms since the epoch) are void, for their holders ended with the functions' process before. */
  LEASES_VOID_BEFORE: v.optional(v.pipe(v.string(), v.digits(), v.transform(Number))),
  /** Base URL of the stage, without a trailing slash. */
  PUBLIC_URL: v.pipe(v.string(), v.url(), v.regex(/[^/]$/, 'ends with a slash')),
  /** Checked by lib/auth/token-issuers.ts: only the functions that verify tokens need them. */
  TOKEN_ISSUERS: v.optional(v.pipe(v.string(), json), '[]'),
  TRUSTED_CONTEXTS: v.optional(v.pipe(v.string(), json, v.array(TrustedContext), v.maxLength(10)), '[]'),
  /** Proxies of Indy ledgers by their namespaces, in the order in which they are asked for what an unqualified id names. */
  INDY_PROXIES: v.optional(
    v.pipe(v.string(), json, v.record(IndyNamespace, IndyProxy, 'is not a JSON object'), v.maxEntries(10)),
    '{}',
  ),
  /** Requests a second of a tenant; 0: callers are not counted. */
  TENANT_RATE: v.optional(v.pipe(v.string(), v.transform(Number), v.minValue(0)), '0'),
  /** What the API keys begin with that callers are counted by (lib/auth/rate-key.ts). */
  RATE_KEY_PREFIX: v.optional(v.pipe(v.string(), v.minLength(1)), 'rate'),
  /** What private keys and secrets are sealed with: 32 bytes in base64url on the local stage, a KMS key on AWS. */
  SEALING_KEY: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/, 'is not 32 bytes in base64url'))),
  KMS_KEY_ID: v.optional(v.pipe(v.string(), v.minLength(1))),
  /** Organization that events of the base agent go to. */
  BASE_ORG_ID: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9._:-]{1,64}$/)), 'base'),
  /** Label of the base agent in its invitations. */
  AGENT_LABEL: v.optional(v.pipe(v.string(), v.minLength(1)), 'serverless-agent'),
  /** Whether the base agent accepts offers and proof requests of others without a call; a tenant's record says it of the tenant. */
  AUTO_ACCEPT_OFFERS: v.optional(flag, 'false'),
  AUTO_ACCEPT_PROOF_REQUESTS: v.optional(flag, 'false'),
  /** The local stage also takes `http` and loopback addresses. */
  LOCAL_STAGE: v.optional(flag, 'false'),
  LOG_LEVEL: v.optional(v.picklist(['debug', 'info', 'warn', 'error', 'silent']), 'info'),
  /** X-Ray is told of the calls to DynamoDB. Empty is off. */
  TRACING: v.optional(v.picklist(['on', 'off', '']), 'off'),
  /** Lambda's own: where X-Ray's daemon listens. */
  AWS_XRAY_DAEMON_ADDRESS: v.optional(v.string(), '169.254.79.129:2000'),
  /** Lambda's own: how it takes what is logged. */
  AWS_LAMBDA_LOG_FORMAT: v.optional(v.string()),
})

export type Settings = v.InferOutput<typeof Settings>

/** Checks an environment; says in one line what is wrong. Throws `settings.invalid`. */
export const readSettings = (environment: Record<string, string | undefined>): Settings => {
  const result = v.safeParse(Settings, environment)
  if (result.success) return result.output
  const [issue] = result.issues
  throw new AgentError('settings.invalid', `${v.getDotPath(issue) ?? 'environment'}: ${issue.message}`)
}

/**
 * Settings that a deployment packs with the code as JSON (infra/plugins/packed-settings.ts), by their names. They can grow, and a
 * function's environment ends at 4 KB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const PACKED_FILE = 'settings.json'

const Packed = v.pipe(
  v.string(),
  json,
  v.object({
    TOKEN_ISSUERS: v.exactOptional(v.unknown()),
    TRUSTED_CONTEXTS: v.exactOptional(v.unknown()),
    INDY_PROXIES: v.exactOptional(v.unknown()),
  }),
)

export type PackedSetting = keyof v.InferOutput<typeof Packed>

/** A file that is there and can't be read is no reason to do without it: nobody's token would be valid. */
const readFileIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** What was packed into `folder`, as an environment would hold it; nothing where there is no file. Throws `settings.invalid`. */
export const readPacked = (folder: string): Record<string, string> => {
  const text = readFileIfThere(join(folder, PACKED_FILE))
  if (text === undefined) return {}
  const result = v.safeParse(Packed, text)
  if (!result.success) throw new AgentError('settings.invalid', `${PACKED_FILE}: ${result.issues[0].message}`)
  return Object.fromEntries(Object.entries(result.output).map(([name, value]) => [name, JSON.stringify(value)]))
}

let current: Settings | undefined

/** The settings of this process. What the environment says wins: on this machine nothing is packed. */
export const settings = (): Settings => {
  current ??= readSettings({ ...readPacked(import.meta.dirname), ...process.env })
  return current
}

/**
 * The trace that this invocation is part of. Lambda sets it anew for each one.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export const traceHeader = (): string => process.env._X_AMZN_TRACE_ID ?? ''
