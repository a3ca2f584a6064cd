/**
 * The local stage: database, queues, functions, event sources and API, started in the order in which they need each
 * other.
 */
import { folderOnThisMachine, WITHOUT_LIBRARY } from '../anoncreds/library-file.ts'
import type { Serverless } from '../service.ts'
import { awsCall } from './aws-call.ts'
import { certificateOf } from './certificate.ts'
import { startEventSources } from './event-sources.ts'
import type { Environment } from './function-process.ts'
import { startFunctions } from './functions.ts'
import type { Issuer } from './issuer.ts'
import { publishStage } from './running-stage.ts'
import type { LocalSettings } from './settings.ts'
import { KMS_KEY, startStorage } from './storage.ts'

export interface Stage {
  baseUrl: string
  /** File of the certificate with TLS. */
  certificate?: string | undefined
  issuer: Issuer
  /** The environment of the functions. */
  environment: Environment
  /** Lines that its user should read. */
  remarks: string[]
  /** Rejects when a part of the stage has ended. */
  failed: Promise<never>
  stop(): Promise<void>
}

/** Starts all parts, or none. Throws `StageFailure`. */
export const startStage = async (serverless: Serverless, settings: LocalSettings): Promise<Stage> => {
  const { service } = serverless
  const { host, issuerDir, dataDir } = settings
  const parts = new AsyncDisposableStack()
  try {
    const storage = await startStorage(service, settings, parts)
    const { database, created, environment, issuer, port, baseUrl } = storage
    const certificate = await certificateOf(settings, baseUrl, parts)
    // Tenants of a stage call each other.
    const functions = startFunctions(
      serverless,
      { ...environment, LOCAL_CERTIFICATE: certificate?.path },
      {
        ...Object.fromEntries(created.map(({ ref, id }) => [ref, id])),
        [KMS_KEY]: 'SealingKey',
      },
    )
    parts.defer(() => functions.stop())

    // While the functions are loaded in the other process.
    const { startApi } = await import('./api.ts')
    const api = await startApi(serverless, functions.invoke, { host, port, tlsFolder: certificate?.folder })
    parts.defer(() => api.stop())
    const { region } = service.provider
    const streams = awsCall(database.endpoint, 'dynamodb', region)
    const sqs = awsCall(storage.sqsEndpoint, 'sqs', region)
    const sources = startEventSources(service, { invoke: functions.invoke, streams, sqs, created, dataDir })
    parts.defer(() => sources.stop())
    await functions.loaded
    parts.use(await publishStage(issuerDir, environment))

    return {
      baseUrl,
      certificate: certificate?.path,
      issuer,
      environment,
      remarks: [database.remark, folderOnThisMachine() === undefined ? WITHOUT_LIBRARY : undefined].filter(
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
