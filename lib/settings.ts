/** The service's settings, from the environment and a file packed with the code. Nothing else reads `process.env`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { AgentError } from './errors.ts'

const json = v.parseJson(undefined, 'is not JSON')

/**
 * A JSON-LD context that every verifier of the stage trusts. It is fetched once, and accepted only with this digest.
 */
const TrustedContext = v.object({
  address: v.pipe(v.string(), v.url()),
  /** SHA-256 of the document as its address serves it, hexadecimal. */
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in hexadecimal')),
})

/** A ledger, with its network if it has several. https://hyperledger.github.io/indy-did-method/#namespace-identifier */
export const INDY_NAMESPACE = /^[a-z][a-z0-9_-]{0,31}(?::[a-z][a-z0-9_-]{0,31})?$/

const IndyNamespace = v.pipe(v.string(), v.regex(INDY_NAMESPACE, 'is not a namespace of did:indy'))

const NOT_A_PROXY = 'is not a URL of http or https without query and fragment'

/** Base address of an indy-vdr-proxy, to which its routes are appended. */
const IndyProxy = v.pipe(
  v.string(NOT_A_PROXY),
  v.url(NOT_A_PROXY),
  v.regex(/^https?:[^?#]*$/, NOT_A_PROXY),
  v.transform((address) => address.replace(/\/$/, '')),
)

const flag = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((value) => value === 'true'),
)

/** Levels of the log, the lowest first. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

export const Settings = v.object({
  /** Name of the table. */
  TABLE_NAME: v.pipe(v.string(), v.minLength(1)),
  /** The local stage's DynamoDB and SQS. */
  DYNAMODB_ENDPOINT: v.optional(v.pipe(v.string(), v.url())),
  SQS_ENDPOINT: v.optional(v.pipe(v.string(), v.url())),
  /** FIFO queues of wake-ups: for lanes, and for lanes of slow destinations. */
  WAKE_UP_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  SLOW_WAKE_UP_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  /** Queue of delayed wake-ups, and of those of destinations. */
  TIMER_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  /** Queues of wake-ups of jobs: of removals, and of all others. */
  JOB_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  REMOVAL_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  /** Dead-letter queues of these, and the queue of stream records that Lambda has given up. */
  WAKE_UP_DEAD_LETTER_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  TIMER_DEAD_LETTER_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  JOB_DEAD_LETTER_QUEUE_URL: v.optional(v.pipe(v.string(), v.url())),
  DISPATCH_FAILURES_URL: v.optional(v.pipe(v.string(), v.url())),
  /** Number of waiting lanes above which an alarm is raised. */
  WAITING_LANES: v.optional(v.pipe(v.string(), v.digits(), v.transform(Number)), '1000'),
  /** Local stage: leases from before this time (ms since the epoch) are void, because their process has ended. */
  LEASES_VOID_BEFORE: v.optional(v.pipe(v.string(), v.digits(), v.transform(Number))),
  /** Base URL of the stage, without a trailing slash. */
  PUBLIC_URL: v.pipe(v.string(), v.url(), v.regex(/[^/]$/, 'ends with a slash')),
  /** Validated by lib/auth/token-issuers.ts, in the functions that verify tokens. */
  TOKEN_ISSUERS: v.optional(v.pipe(v.string(), json), '[]'),
  TRUSTED_CONTEXTS: v.optional(v.pipe(v.string(), json, v.array(TrustedContext), v.maxLength(10)), '[]'),
  /** Proxies of Indy ledgers by namespace. Objects with unqualified ids are searched in this order. */
  INDY_PROXIES: v.optional(
    v.pipe(v.string(), json, v.record(IndyNamespace, IndyProxy, 'is not a JSON object'), v.maxEntries(10)),
    '{}',
  ),
  /** Requests per second of a tenant; 0: no limit. */
  TENANT_RATE: v.optional(v.pipe(v.string(), v.transform(Number), v.minValue(0)), '0'),
  /** Prefix of the API keys that count callers (lib/auth/rate-key.ts). */
  RATE_KEY_PREFIX: v.optional(v.pipe(v.string(), v.minLength(1)), 'rate'),
  /** Key that seals private keys and secrets: 32 bytes in base64url on the local stage, a KMS key on AWS. */
  SEALING_KEY: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/, 'is not 32 bytes in base64url'))),
  KMS_KEY_ID: v.optional(v.pipe(v.string(), v.minLength(1))),
  /** Organization that receives the base agent's events. */
  BASE_ORG_ID: v.optional(v.pipe(v.string(), v.regex(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,64}$/)), 'base'),
  /** Label of the base agent in its invitations. */
  AGENT_LABEL: v.optional(v.pipe(v.string(), v.minLength(1)), 'serverless-agent'),
  /** Folder of AnonCreds' native library; on AWS only for functions that have it in their zip. */
  LIB_ANONCREDS_PATH: v.optional(v.pipe(v.string(), v.minLength(1))),
  /** Whether the stage was deployed with the library, for functions that need it in a job of another function. */
  ANONCREDS: v.optional(v.picklist(['on', 'off']), 'on'),
  /** Whether the base agent accepts offers and proof requests without an API call. Tenants have their own setting. */
  AUTO_ACCEPT_OFFERS: v.optional(flag, 'false'),
  AUTO_ACCEPT_PROOF_REQUESTS: v.optional(flag, 'false'),
  /** The local stage also allows `http` and loopback addresses. */
  LOCAL_STAGE: v.optional(flag, 'false'),
  LOG_LEVEL: v.optional(v.picklist(LEVELS), 'info'),
  /** Whether to trace calls to DynamoDB with X-Ray. Empty is off. */
  TRACING: v.optional(v.picklist(['on', 'off', '']), 'off'),
  /** Set by Lambda: address of the X-Ray daemon. */
  AWS_XRAY_DAEMON_ADDRESS: v.optional(v.string(), '169.254.79.129:2000'),
  /** Set by Lambda: its log format. */
  AWS_LAMBDA_LOG_FORMAT: v.optional(v.string()),
})

export type Settings = v.InferOutput<typeof Settings>

/** Validates settings by a schema. Throws `settings.invalid` with a message of one line. */
export const validSettings = <S extends v.GenericSchema>(schema: S, environment: unknown): v.InferOutput<S> => {
  const result = v.safeParse(schema, environment)
  if (result.success) return result.output
  const [issue] = result.issues
  throw new AgentError('settings.invalid', `${v.getDotPath(issue) ?? 'environment'}: ${issue.message}`)
}

/** Validates an environment. Throws `settings.invalid`. */
export const readSettings = (environment: Record<string, string | undefined>): Settings =>
  validSettings(Settings, environment)

/**
 * File of settings that a deployment packs with the code as JSON (infra/plugins/packed-settings.ts), because they can
 * exceed the 4 KB of a function's environment: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const PACKED_FILE = 'settings.json'

export const PackedSettings = v.object({
  TOKEN_ISSUERS: v.exactOptional(v.unknown()),
  TRUSTED_CONTEXTS: v.exactOptional(v.unknown()),
  INDY_PROXIES: v.exactOptional(v.unknown()),
})

export type PackedSetting = keyof v.InferOutput<typeof PackedSettings>

const Packed = v.pipe(v.string(), json, PackedSettings)

/** Throws for a file that exists but cannot be read: without it no token would be valid. */
const readFileIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** The packed settings of a folder, in the form of an environment; empty without a file. Throws `settings.invalid`. */
export const readPacked = (folder: string): Record<string, string> => {
  const text = readFileIfThere(join(folder, PACKED_FILE))
  if (text === undefined) return {}
  const result = v.safeParse(Packed, text)
  if (!result.success) throw new AgentError('settings.invalid', `${PACKED_FILE}: ${result.issues[0].message}`)
  return Object.fromEntries(Object.entries(result.output).map(([name, value]) => [name, JSON.stringify(value)]))
}

let current: Settings | undefined

/** The settings of this process. The environment takes precedence over packed settings. */
export const settings = (): Settings => {
  current ??= readSettings({ ...readPacked(import.meta.dirname), ...process.env })
  return current
}

/** The trace of this invocation, which Lambda sets for each one. */
export const traceHeader = (): string => process.env._X_AMZN_TRACE_ID ?? ''
