/** The process of the functions: it cannot run text as code, and when it ends, another one replaces it. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serviceFolder } from '../support/stage/folder.ts'
import { processTree, stillRunning } from '../support/stage/processes.ts'
import { endPrograms, startProgram } from '../support/stage/program.ts'
import { type StartedStage, whenReady } from '../support/stage/started.ts'
import { waitFor } from '../wallet/wait.ts'

/** Does what the path of the query says. */
const FUNCTION = `
  const ok = (body) => ({ statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const ways = {
    eval: () => globalThis['ev' + 'al']('1'),
    Function: () => Function('return 1')(),
    constructor: () => (() => {}).constructor('return 1')(),
    AsyncFunction: () => (async () => {}).constructor('return 1')(),
    GeneratorFunction: () => (function* () {}).constructor('yield 1')().next(),
    timer: () => setTimeout('1', 0),
  }
  const attempt = (way) => {
    try {
      return ['has run', way()]
    } catch (error) {
      return error.name
    }
  }
  export const health = ({ queryStringParameters }) => {
    const { what } = queryStringParameters ?? {}
    if (what === 'ways') return ok(Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, attempt(way)])))
    if (what === 'exit') process.exit(3)
    if (what === 'odd') throw Object.assign(new Error(), { message: Object.create(null), stack: undefined })
    if (what === 'nothing') throw null
    if (what === 'status') throw new Error('a status in brackets [200]')
    if (what === 'rejection') Promise.reject(new Error('not awaited'))
    if (what === 'callback') setTimeout(() => { throw new Error('not caught') })
    if (what === 'late') setTimeout(() => { throw new Error('too late') }, 100)
    if (what === 'rejection' || what === 'callback') return new Promise(() => {})
    if (what === 'wait') return new Promise((resolve) => console.log('waiting'))
    return ok(process.pid)
  }`

/** Blocks the process for ever. */
const STUCK = 'export const openapi = () => { console.log("stuck"); for (;;); }'

let folder: Awaited<ReturnType<typeof serviceFolder>>
let stage: StartedStage

beforeAll(async () => {
  const serverless = await readFile('serverless.yml', 'utf8')
  folder = await serviceFolder({
    'functions/health.ts': FUNCTION,
    'functions/openapi.ts': STUCK,
    'serverless.yml': serverless.replace(/(handler: functions\/openapi\..+)/, '$1\n    timeout: 1'),
  })
  stage = await whenReady(
    startProgram(process.execPath, ['infra/local/start.ts'], { cwd: folder.path, env: { PORT: '0' } }),
  )
})
afterAll(async () => {
  endPrograms()
  await folder[Symbol.asyncDispose]()
})

const get = async (path: string) => {
  const answer = await fetch(`${stage.baseUrl}${path}`)
  return { status: answer.status, body: Object(await answer.json()) }
}

const BROKEN = { status: 500, body: { statusCode: 500, error: 'Internal Server Error' } }

const processId = async (): Promise<number> => Number((await get('/health')).body)

test('text cannot be turned into code in it', async () => {
  const { body } = await get('/health?what=ways')
  const { timer, ...others } = body
  expect(new Set(Object.values(others))).toEqual(new Set(['EvalError']))
  // Node's timers take functions only.
  expect(timer).toBe('TypeError')
})

test.each([
  ['an error with a status in brackets', 'status'],
  ['an error whose message is not a string', 'odd'],
  ['nothing', 'nothing'],
])('a function that throws %s is a 500', async (_, what) => {
  const before = await processId()
  expect(await get(`/health?what=${what}`)).toEqual(BROKEN)
  expect(await processId()).toBe(before)
})

test.each([
  ['a rejection that it does not await', 'rejection'],
  ['an error of a callback', 'callback'],
])('a function that leaves %s is a 500 immediately, and the others continue', async (_, what) => {
  const before = await processId()
  expect(await get(`/health?what=${what}`)).toEqual(BROKEN)
  expect(stage.program.stderr()).not.toContain('takes longer than')
  expect(await processId()).toBe(before)
})

test('what a function throws after its answer is logged', async () => {
  expect(await get('/health?what=late')).toMatchObject({ status: 200 })
  await waitFor('the log', () => stage.program.stderr().includes('too late'))
})

describe('when it ends', () => {
  let before: number
  let underWay: Promise<unknown>

  beforeAll(async () => {
    before = await processId()
    underWay = get('/health?what=wait')
    await stage.program.says(/^waiting$/m)
  })

  test('the request that ended it, and the running ones, are a 500 immediately', async () => {
    expect(await get('/health?what=exit')).toEqual(BROKEN)
    expect(await underWay).toEqual(BROKEN)
    // Before the function's time is over.
    expect(stage.program.stderr()).not.toContain('takes longer than')
  })

  test('the stage logs it, and starts another', async () => {
    expect(await processId()).not.toBe(before)
    const line = { level: 'error', message: 'the process of the functions ended: another starts', how: '3' }
    expect(stage.program.stderr()).toContain(`${JSON.stringify(line)}\n`)
  })
})

test('a function that hangs in a loop is ended with it when its time is over', async () => {
  const before = await processId()
  expect(await get('/openapi.json')).toEqual(BROKEN)
  expect(await processId()).not.toBe(before)
})

test('it ends when the stage is killed, even while it hangs in a loop', async () => {
  const stuck = get('/openapi.json').catch(() => {})
  await waitFor('the loop', () => stage.program.stdout().match(/^stuck$/gm)?.length === 2)
  const processes = processTree(stage.program.pid)
  expect(processes.map(({ command }) => command)).toContainEqual(expect.stringMatching(/function-runtime\.ts$/))
  stage.program.signal('SIGKILL')
  await waitFor('its processes to be gone', () => stillRunning(processes).length === 0)
  await stuck
})
