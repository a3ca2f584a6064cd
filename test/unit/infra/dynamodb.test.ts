/** The DynamoDB of the local stage: it is there until it is stopped, and a line says why when it is not. */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { StageFailure } from '../../../infra/failure.ts'
import { startDatabase } from '../../../infra/local/dynamodb.ts'
import { localSettings } from '../../../infra/local/settings.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'
import { embeddedDatabases, processTree, stillRunning } from '../../support/stage/processes.ts'
import { runProgram } from '../../support/stage/program.ts'
import { waitFor } from '../../wallet/wait.ts'

const start = async (environment: NodeJS.ProcessEnv = {}) => {
  const database = await startDatabase(localSettings(environment))
  onTestFinished(() => database.stop())
  return database
}

const failureOf = (environment: NodeJS.ProcessEnv): Promise<unknown> =>
  start(environment).then(
    () => 'it has started',
    (error: unknown) => error,
  )

const newFolder = async (): Promise<string> => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder.path
}

describe('the embedded database', () => {
  test('responds when it has started, and has ended when it was stopped', async () => {
    const database = await start()
    expect(database.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(database.remark).toBeUndefined()
    await expect(fetch(database.endpoint)).resolves.toBeDefined()

    const processes = embeddedDatabases()
    expect(processes).toHaveLength(1)
    await database.stop()
    expect(stillRunning(processes)).toEqual([])
    // Once more is not too often.
    await database.stop()
  })

  test('reports when it ends by itself', async () => {
    const database = await start()
    for (const { pid } of embeddedDatabases()) process.kill(pid, 'SIGKILL')
    const failure = await database.failed.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StageFailure)
    expect(failure).toHaveProperty('message', 'The embedded DynamoDB has ended.')
  })

  test('ends with a stage that is killed', async () => {
    const killed = `
      import childProcess, { spawnSync } from 'node:child_process'
      import { writeSync } from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      const { spawn } = childProcess
      const untilServing = 'const ask = (url) => fetch(url).catch(() => ask(url)); ask(process.argv[1])'
      childProcess.spawn = (command, args, options) => {
        writeSync(1, String(spawn(command, args, options).pid))
        const url = 'http://127.0.0.1:' + args[args.indexOf('--port') + 1]
        spawnSync(process.execPath, ['-e', untilServing, url])
        process.kill(process.pid, 'SIGKILL')
      }
      syncBuiltinESMExports()
      const { startDatabase } = await import(${JSON.stringify(resolve('infra/local/dynamodb.ts'))})
      await startDatabase({})`
    const { signal, stdout } = await runProgram(process.execPath, ['--input-type=module', '-e', killed])
    expect(signal).toBe('SIGKILL')
    const database = Number(stdout)
    onTestFinished(() => processTree(database).forEach(({ pid }) => void process.kill(pid, 'SIGKILL')))
    await waitFor('its database to be gone', () => processTree(database).length === 0)
  })

  test('reports an invalid file in one line, and leaves no process', async () => {
    const DATA_DIR = await newFolder()
    await writeFile(join(DATA_DIR, 'dynamodb.sqlite'), 'no database, whatever its name says'.repeat(100))
    const failure = await failureOf({ DATA_DIR })
    expect(failure).toBeInstanceOf(StageFailure)
    expect(failure).toHaveProperty('message', expect.stringMatching(/^The embedded DynamoDB does not start: .+$/))
    await waitFor('dynoxide to be gone', () => embeddedDatabases().length === 0)
  })
})

describe('without a binary', () => {
  beforeEach(() => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {}
    onTestFinished(() => void Object.defineProperty(process, 'platform', platform))
    Object.defineProperty(process, 'platform', { ...platform, value: 'plan9' })
  })

  test('the table is in memory, and a line says so', async () => {
    const { endpoint, remark, stop } = await start()
    expect(remark).toMatch(
      /^The table is in memory and its data are lost when this process ends: .* no binary for plan9-\w+\.$/,
    )
    expect(await fetch(endpoint)).toHaveProperty('status', 400)
    expect(embeddedDatabases()).toEqual([])
    await stop()
    await expect(fetch(endpoint)).rejects.toThrow()
  })

  test('a folder for data is an error that names the alternatives', async () => {
    const failure = await failureOf({ DATA_DIR: '/data' })
    expect(failure).toBeInstanceOf(StageFailure)
    expect(failure).toHaveProperty(
      'message',
      expect.stringMatching(
        /^DATA_DIR=\/data: .* no binary for plan9-\w+\. Set DYNAMODB_ENDPOINT, or .*Java, or .*\.$/,
      ),
    )
  })
})

describe('an external database', () => {
  test('is used, announced, and not stopped', async () => {
    const { endpoint } = await start()
    const given = await start({ DYNAMODB_ENDPOINT: endpoint })
    expect(given).toMatchObject({ endpoint, remark: `Uses DynamoDB at ${endpoint}.` })
    await given.stop()
    await expect(fetch(endpoint)).resolves.toBeDefined()
  })

  test('is requested at the start', async () => {
    // The discard port: no process listens there.
    const failure = await failureOf({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' })
    expect(failure).toBeInstanceOf(StageFailure)
    expect(failure).toHaveProperty('message', 'DYNAMODB_ENDPOINT=http://127.0.0.1:9: the endpoint does not respond')
  })
})
