/**
 * Where the running stage has its table: a private file with the environment of its functions, for `serverless invoke
 * local` and the commands for operators.
 */
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { StageFailure } from '../failure.ts'
import type { Environment } from './function-process.ts'
import { localSettings } from './settings.ts'

const FILE = 'stage.json'

const Published = v.pipe(v.string(), v.parseJson(), v.objectWithRest({ DYNAMODB_ENDPOINT: v.string() }, v.string()))

/** Undefined: there is none. */
const textAt = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

/** Publishes the environment for as long as the stage runs. Of several stages in a folder, the last one is found. */
export const publishStage = async (folder: string, environment: Environment): Promise<AsyncDisposable> => {
  const path = join(folder, FILE)
  // A DynamoDB of the user may have other tables for another region.
  const text = JSON.stringify({ ...environment, AWS_REGION: process.env.AWS_REGION })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, path)
  return {
    [Symbol.asyncDispose]: async () => {
      if ((await textAt(path)) === text) await rm(path, { force: true })
    },
  }
}

/** Keeps the SDK from using the credentials and the profile of the user. */
export const useNoAwsAccount = (region: string): void => {
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL', 'AUTHORIZER']) delete process.env[name]
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EC2_METADATA_DISABLED: 'true',
  })
}

/** The environment of the stage that runs with the folder; undefined: none does, or it was killed. */
export const runningStage = async (folder: string): Promise<Record<string, string> | undefined> => {
  const published = v.safeParse(Published, await textAt(join(folder, FILE)))
  if (!published.success) return undefined
  const answers = await fetch(published.output.DYNAMODB_ENDPOINT).catch(() => undefined)
  return answers && published.output
}

/** Names the stage that runs with DATA_DIR in the environment, unless it does so already. Throws `StageFailure`. */
export const nameRunningStage = async (): Promise<void> => {
  const running = await runningStage(localSettings(process.env).issuerDir)
  if (running === undefined) throw new StageFailure('no local stage runs in this folder, or with this DATA_DIR')
  const { AWS_REGION = 'local' } = running
  useNoAwsAccount(AWS_REGION)
  for (const [name, value] of Object.entries(running)) process.env[name] ??= value
}
