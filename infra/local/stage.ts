/**
 * The local stage: database, queues, functions, event sources and API, started in the order in which they need each
 * other.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { SQSClient } from '@aws-sdk/client-sqs'
import { readSettings } from '../../lib/settings.ts'
import { folderOnThisMachine, libraryFolder, WITHOUT_LIBRARY } from '../anoncreds/library-file.ts'
import { StageFailure } from '../failure.ts'
import type { Serverless, Service } from '../service.ts'
import { lockDataFolder } from './data-folder.ts'
import { startDatabase } from './dynamodb.ts'
import { startEventSources } from './event-sources.ts'
import type { Environment } from './function-process.ts'
import { startFunctions } from './functions.ts'
import { type Issuer, localIssuer } from './issuer.ts'
import { freePort, LOOPBACK } from './port.ts'
import { privateFile } from './private-file.ts'
import { startQueues } from './queues.ts'
import { type Created, createResources, resolve } from './resources.ts'
import type { LocalSettings } from './settings.ts'

export interface Stage {
  baseUrl: string
  issuer: Issuer
  /** The environment of the functions. */
  environment: Environment
  /** Lines that its user should read. */
  remarks: string[]
  /** Rejects when a part of the stage has ended. */
  failed: Promise<never>
  stop(): Promise<void>
}

/** Keeps the SDK from using the credentials and the profile of the user. */
const useNoAwsAccount = (region: string): void => {
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL', 'AUTHORIZER']) delete process.env[name]
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EC2_METADATA_DISABLED: 'true',
  })
}

/** Starts all parts, or none. Throws `StageFailure`. */
export const startStage = async (serverless: Serverless, settings: LocalSettings): Promise<Stage> => {
  const { service } = serverless
  const { dataDir } = settings
  const parts = new AsyncDisposableStack()
  try {
    useNoAwsAccount(service.provider.region)
    if (dataDir !== undefined) parts.use(await lockDataFolder(dataDir))
    const issuer = await localIssuer(settings.issuerDir)
    const sealing = await sealingOf(settings)
    const port = settings.port === 0 ? await freePort() : settings.port
    const baseUrl = `http://${LOOPBACK}:${port}`

    const database = await startDatabase(settings)
    parts.defer(() => database.stop())
    const queues = await startQueues(dataDir, service.provider.region)
    parts.defer(() => queues.stop())

    const dynamodb = new DynamoDBClient({ endpoint: database.endpoint })
    const sqs = new SQSClient({ endpoint: queues.endpoint, useQueueUrlAsEndpoint: false })
    const stageName = `${service.service}-${service.provider.stage}`
    const local = { dynamodb, sqs, sqsEndpoint: queues.endpoint, stageName }
    const resources = await createResources(service.resources.Resources, local)
    for (const { name, ref } of resources.queues) await queues.putBack(sqs, { name, url: ref })
    const created = [...resources.tables, ...resources.queues]

    const anoncredsFolder = folderOnThisMachine()
    const environment = {
      ...environmentOf(service, created),
      DYNAMODB_ENDPOINT: database.endpoint,
      SQS_ENDPOINT: queues.endpoint,
      PUBLIC_URL: settings.publicUrl ?? baseUrl,
      TOKEN_ISSUERS: JSON.stringify([...settings.tokenIssuers, issuer.settings]),
      ...sealing,
      // `npm run anoncreds` may bring it there while the stage runs.
      LIB_ANONCREDS_PATH: anoncredsFolder ?? libraryFolder(process.arch),
      LOCAL_STAGE: 'true',
      LOG_LEVEL: settings.logLevel,
    }
    checkEnvironment(environment)
    const functions = startFunctions(serverless, environment, {
      ...Object.fromEntries(created.map(({ ref, id }) => [ref, id])),
      [KMS_KEY]: 'SealingKey',
    })
    parts.defer(() => functions.stop())

    // While the functions are loaded in the other process.
    const { startApi } = await import('./api.ts')
    const api = await startApi(serverless, functions.invoke, port)
    parts.defer(() => api.stop())
    const streams = new DynamoDBStreamsClient({ endpoint: database.endpoint })
    const sources = startEventSources(service, { invoke: functions.invoke, streams, sqs, created, dataDir })
    parts.defer(() => sources.stop())
    await functions.loaded

    return {
      baseUrl,
      issuer,
      environment,
      remarks: [database.remark, anoncredsFolder === undefined ? WITHOUT_LIBRARY : undefined].filter(
        (remark) => remark !== undefined,
      ),
      failed: Promise.race([sources.failed, database.failed, functions.failed]),
      stop: () => parts.disposeAsync(),
    }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

const KMS_KEY = 'alias/local'

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
