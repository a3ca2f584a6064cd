/** The settings of the local stage, read from the environment and checked once. */
import { resolve } from 'node:path'
import * as v from 'valibot'
import { TokenIssuers } from '../../lib/auth/token-issuers.ts'
import { reason, StageFailure } from '../failure.ts'
import { RateSettings } from '../gateway/rate-settings.ts'
import { parseSettings, wholeNumber } from '../settings.ts'
import { LOOPBACK } from './port.ts'

const Environment = v.object({
  /** Of the API; 0 picks a free one. */
  PORT: v.optional(wholeNumber(0, 65_535), '3000'),
  /** Folder for the stage's data; without it nothing is kept. */
  DATA_DIR: v.optional(v.string()),
  /** Whether the API is at https, with a certificate that is made for it. */
  TLS: v.optional(v.picklist(['on', 'off'], 'is neither on nor off'), 'off'),
  LOG_LEVEL: v.optional(v.string(), 'warn'),
  /** Address at which other agents reach the stage, such as that of a tunnel; by default the one it listens on. */
  PUBLIC_URL: v.optional(v.string()),
  /** Issuers in addition to the stage's own. A single one has all grants, as on AWS. */
  TOKEN_ISSUERS: v.optional(v.pipe(v.string(), v.parseJson({}, 'is not JSON'), TokenIssuers), '[]'),
  /** A DynamoDB to use instead of the embedded one. */
  DYNAMODB_ENDPOINT: v.optional(v.pipe(v.string(), v.url('is not a URL'))),
  /** A KMS for data keys, as on AWS, in place of a key in a file. It must have the key `alias/local`. */
  KMS_ENDPOINT: v.optional(v.pipe(v.string(), v.url('is not a URL'))),
  ...RateSettings.entries,
})

export type LocalSettings = ReturnType<typeof localSettings>

const read = (environment: NodeJS.ProcessEnv): v.InferOutput<typeof Environment> => {
  try {
    return parseSettings(Environment, environment)
  } catch (error) {
    throw new StageFailure(reason(error))
  }
}

/** `host` is an option of the command and no variable: some shells set HOST. Throws `StageFailure`. */
export const localSettings = (environment: NodeJS.ProcessEnv, host: string = LOOPBACK) => {
  const { PORT, TLS, DATA_DIR, LOG_LEVEL, PUBLIC_URL, TOKEN_ISSUERS, DYNAMODB_ENDPOINT, KMS_ENDPOINT } =
    read(environment)
  const dataDir = DATA_DIR === undefined ? undefined : resolve(DATA_DIR)
  return {
    /** Address of this machine on which the API listens. */
    host,
    port: PORT,
    tls: TLS === 'on',
    /** Absolute; undefined: nothing is kept. */
    dataDir,
    /** Folder of the issuer's key, which `npm run token` reads too. */
    issuerDir: dataDir ?? resolve('.data'),
    logLevel: LOG_LEVEL,
    publicUrl: PUBLIC_URL?.replace(/\/+$/, ''),
    tokenIssuers: TOKEN_ISSUERS,
    dynamodbEndpoint: DYNAMODB_ENDPOINT,
    kmsEndpoint: KMS_ENDPOINT,
  }
}
