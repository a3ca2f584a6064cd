/** The commands of the Serverless Framework that run on this machine, as its users call them. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../infra/local/port.ts'
import { toAuthorizerContext } from '../../lib/auth/principal.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { endPrograms, runProgram, startProgram } from '../support/stage/program.ts'
import { type StartedStage, whenReady } from '../support/stage/started.ts'
import { handMade, unknownKid } from '../support/wallets/hand-made-envelope.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let stage: StartedStage
let port: number

const npx = (...args: string[]) => ['--no-install', 'serverless', ...args]

/** What a function returns when it is invoked locally, with the data of `folder`. */
const invoke = async (...args: string[]) => {
  // The CLI reads an event from its input where that is not a terminal.
  const script = 'exec npx "$@" </dev/null'
  const { code, stdout, stderr } = await runProgram(
    'sh',
    ['-c', script, 'npx', ...npx('invoke', 'local', '--function', ...args)],
    { env: { DATA_DIR: folder.path } },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  // After lines of the log.
  const { statusCode, body } = JSON.parse(stdout.slice(stdout.indexOf('{\n')))
  return { statusCode, body: JSON.parse(body) }
}

beforeAll(async () => {
  folder = await temporaryFolder()
  port = await freePort()
})
afterAll(async () => {
  endPrograms()
  await folder[Symbol.asyncDispose]()
})

const createTenant = async () => {
  const authorizer = toAuthorizerContext({
    ...{ role: 'RestRootAgentWithTenants', organizations: {}, subject: 'operator' },
    expiresAt: Math.floor(Date.now() / 1000) + 3_600,
  })
  const event = {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ config: { label: 'Acme' } }),
    requestContext: { authorizer },
  }
  const path = join(folder.path, 'event.json')
  await writeFile(path, JSON.stringify(event))
  return invoke('createTenant', '--path', path)
}

/** 404 for a tenant that does not exist; 400 for one that does, because the envelope has no known recipient. */
const knock = async (tenantId: string): Promise<number> => {
  const body = JSON.stringify(handMade({ kid: unknownKid() }))
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`http://127.0.0.2:${port}/didcomm/${tenantId}`, { method: 'POST', headers, body })).status
}

let earlier: string

test('`invoke local` runs a function where no stage runs, and keeps what it writes in DATA_DIR', async () => {
  // It has the queues of this machine, and no caller.
  expect(await invoke('sendMessage')).toMatchObject({ statusCode: 401 })
  const { statusCode, body } = await createTenant()
  expect(statusCode).toBe(201)
  earlier = body.id
})

test('`offline start` starts the stage on the port and the address that its options name', async () => {
  const args = ['offline', 'start', '--httpPort', `${port}`, '--host', '127.0.0.2']
  const program = startProgram('npx', npx(...args), { env: { DATA_DIR: folder.path, SLS_LOG_LEVEL: 'error' } })
  stage = await whenReady(program)
  expect(stage.baseUrl).toBe(`http://127.0.0.2:${port}`)
  expect(await (await fetch(`${stage.baseUrl}/health`)).json()).toMatchObject({ status: 'ok' })
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow()
  expect(await knock(earlier)).toBe(400)
})

test('`invoke local` runs a function on the table of the running stage', async () => {
  const { statusCode, body } = await createTenant()
  expect(statusCode).toBe(201)
  expect([await knock(body.id), await knock('nobody')]).toEqual([400, 404])
})

test('an item of its table is printed, and a redrive finds nothing, with `--stage local`', async () => {
  const run = (...args: string[]) =>
    runProgram('npm', ['run', '-s', ...args, '--stage', 'local'], { env: { DATA_DIR: folder.path } })
  const { stdout, stderr } = await run('item', '--', `@tenant|${earlier}`)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject({ pk: `@tenant|${earlier}` })
  expect(await run('redrive', '--')).toMatchObject({ code: 0, stderr: '' })
})

test('Ctrl-C ends it, and removes what it has published', async () => {
  expect(await readdir(folder.path)).toContain('stage.json')
  stage.program.interrupt()
  expect(await stage.program.ended()).toMatchObject({ stderr: '' })
  expect(await readdir(folder.path)).not.toContain('stage.json')
})

test('a wrong option is one line', async () => {
  const env = { DATA_DIR: folder.path, SLS_LOG_LEVEL: 'error' }
  const port = await runProgram('npx', npx('offline', 'start', '--httpPort', 'web'), { env })
  expect([port.code, port.stderr]).toEqual([1, 'PORT: is not a whole number from 0 to 65535\n'])
  const host = await runProgram('npx', npx('offline', 'start', '--httpPort', '0', '--host', '192.0.2.1'), { env })
  expect([host.code, host.stderr]).toEqual([1, expect.stringMatching(/^192\.0\.2\.1, port \d+: .*EADDRNOTAVAIL.*\n$/)])
})
