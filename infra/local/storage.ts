/** The local stage's table and queues, and the environment in which functions use them. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { readSettings } from '../../lib/settings.ts'
import { folderOnThisMachine, libraryFolder } from '../anoncreds/library-file.ts'
import { StageFailure } from '../failure.ts'
import { ensureLayout } from '../layout.ts'
import type { Service } from '../service.ts'
import { lockDataFolder } from './data-folder.ts'
import { startDatabase } from './dynamodb.ts'
import type { Environment } from './function-process.ts'
import { localIssuer } from './issuer.ts'
import { freePort, urlOf } from './port.ts'
import { privateFile } from './private-file.ts'
import { startQueues } from './queues.ts'
import { type Created, createResources, resolve } from './resources.ts'
import { useNoAwsAccount } from './running-stage.ts'
import type { LocalSettings } from './settings.ts'

/** Starts database and queues, which end with `parts`. Throws `StageFailure`. */
export const startStorage = async (service: Service, settings: LocalSettings, parts: AsyncDisposableStack) => {
  const { dataDir, host, tls } = settings
  useNoAwsAccount(service.provider.region)
  // Only their user may read the files.
  process.umask(0o077)
  if (dataDir !== undefined) parts.use(await lockDataFolder(dataDir))
  const issuer = await localIssuer(settings.issuerDir)
  const sealing = await sealingOf(settings)
  const port = settings.port === 0 ? await freePort() : settings.port
  const baseUrl = urlOf({ host, port, tls })

  const database = await startDatabase(settings)
  parts.defer(() => database.stop())
  const queues = await startQueues(dataDir, service.provider.region)
  parts.defer(() => queues.stop())

  const dynamodb = new DynamoDBClient({ endpoint: database.endpoint })
  const sqs = new SQSClient({ endpoint: queues.endpoint, useQueueUrlAsEndpoint: false })
  // Always the same, because data that is kept is found again by these names.
  const local = { dynamodb, sqs, sqsEndpoint: queues.endpoint, stageName: `${service.service}-local` }
  const resources = await createResources(service.resources.Resources, local)
  for (const { name } of resources.tables) await requireLayout(dynamodb, name, dataDir)
  for (const { name, ref } of resources.queues) await queues.putBack(sqs, { name, url: ref })
  const created = [...resources.tables, ...resources.queues]

  const environment: Environment = {
    ...environmentOf(service, created),
    DYNAMODB_ENDPOINT: database.endpoint,
    SQS_ENDPOINT: queues.endpoint,
    PUBLIC_URL: settings.publicUrl ?? baseUrl,
    TOKEN_ISSUERS: JSON.stringify([...settings.tokenIssuers, issuer.settings]),
    ...sealing,
    // `npm run anoncreds` may bring it there while the stage runs.
    LIB_ANONCREDS_PATH: folderOnThisMachine() ?? libraryFolder(process.arch),
    LOCAL_STAGE: 'true',
    LOG_LEVEL: settings.logLevel,
  }
  checkEnvironment(environment)
  return { database, sqsEndpoint: queues.endpoint, created, issuer, port, baseUrl, environment }
}

/** Writes the layout version to a new table. Throws `StageFailure` for a table of another version. */
const requireLayout = async (dynamodb: DynamoDBClient, table: string, dataDir: string | undefined): Promise<void> => {
  const mismatch = await ensureLayout(dynamodb, table)
  if (mismatch === undefined) return
  const where = dataDir === undefined ? `The table ${table}` : `DATA_DIR=${dataDir}: its table`
  throw new StageFailure(`${where} ${mismatch}: begin with an empty one`)
}

export const KMS_KEY = 'alias/local'

/** The key that seals private keys. It is stored with the data that it opens, unless there is a KMS. */
const sealingOf = async ({ dataDir, kmsEndpoint }: LocalSettings): Promise<Environment> => {
  if (kmsEndpoint !== undefined)
    return { SEALING_KEY: undefined, KMS_KEY_ID: KMS_KEY, AWS_ENDPOINT_URL_KMS: kmsEndpoint }
  const newKey = () => randomBytes(32).toString('base64url')
  const key = dataDir === undefined ? newKey() : (await privateFile(join(dataDir, 'sealing-key'), newKey)).trim()
  return { SEALING_KEY: key, KMS_KEY_ID: undefined }
}

/**
 * The environment of all functions in serverless.yml, merged, because they share a process. References without a value
 * here are left out.
 */
const environmentOf = ({ provider, functions }: Service, created: Created[]): Record<string, string> => {
  const all = [provider, ...Object.values(functions)].flatMap(({ environment }) => Object.entries(environment ?? {}))
  return Object.fromEntries(
    all.flatMap(([name, value]) => {
      const resolved = resolve(value, created)
      return resolved === undefined ? [] : [[name, String(resolved)]]
    }),
  )
}

/** The same check as in the functions. Throws `StageFailure`. */
const checkEnvironment = (environment: Environment): void => {
  try {
    readSettings(environment)
  } catch (error) {
    throw new StageFailure(error instanceof Error ? error.message : String(error), error)
  }
}
