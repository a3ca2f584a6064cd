/**
 * Where the running stage has its table: a private file with the environment of its functions, so that `serverless
 * invoke local` runs a function beside them.
 */
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Environment } from './function-process.ts'

const FILE = 'stage.json'

const Published = v.pipe(v.string(), v.parseJson(), v.objectWithRest({ DYNAMODB_ENDPOINT: v.string() }, v.string()))

/** Undefined: there is none. */
const textAt = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

/** Publishes the environment for as long as the stage runs. Of several stages in a folder, the last one is found. */
export const publishStage = async (folder: string, environment: Environment): Promise<AsyncDisposable> => {
  const path = join(folder, FILE)
  const text = JSON.stringify(environment)
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, path)
  return {
    [Symbol.asyncDispose]: async () => {
      if ((await textAt(path)) === text) await rm(path, { force: true })
    },
  }
}

/** The environment of the stage that runs with the folder; undefined: none does, or it was killed. */
export const runningStage = async (folder: string): Promise<Record<string, string> | undefined> => {
  const published = v.safeParse(Published, await textAt(join(folder, FILE)))
  if (!published.success) return undefined
  const answers = await fetch(published.output.DYNAMODB_ENDPOINT).catch(() => undefined)
  return answers && published.output
}
