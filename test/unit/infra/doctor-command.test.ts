/** `npm run doctor`: it hands on what the check finds, and makes a finding of an error with which Serverless ends before it. */
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'

const { spawn } = vi.hoisted(() => ({ spawn: vi.fn() }))
vi.mock('node:child_process', async (original) => ({ ...(await original<object>()), spawn }))

const { argv } = process
afterEach(() => {
  process.argv = argv
  process.exitCode = undefined
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

interface Ended {
  stdout?: string
  stderr?: string
  /** Null: a signal has killed it. */
  code?: number | null
}

/** Runs it with a check that ends like this. */
const doctor = async (args: string[], { stdout = '', stderr = '', code = 0 }: Ended = {}) => {
  spawn.mockReset().mockImplementation(() => {
    const child = Object.assign(new EventEmitter(), {
      stdout: Readable.from([stdout]),
      stderr: Readable.from([stderr]),
    })
    setImmediate(() => child.emit('close', code))
    return child
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += text
      return true
    })
  process.argv = [...argv.slice(0, 2), ...args]
  vi.resetModules()
  await import('../../../infra/doctor.ts')
  vi.mocked(process.stdout.write).mockRestore()
  vi.mocked(process.stderr.write).mockRestore()
  return { ...said, code: process.exitCode }
}

const LINE = 'FAULT   stack: it is gone\n'

test.each<[string, string, number | null, number]>([
  ['that all is well', 'ok      stack: it is there\n', 0, 0],
  ['a warning', 'a banner\nwarning tables: one is left\n', 0, 0],
  ['a fault', LINE, 1, 1],
  ['a fault before a signal has ended it', LINE, null, 1],
  ['a fault, as JSON', '{\n  "ok": false\n}\n', 1, 1],
])('what the check has found is handed on with its exit code: %s', async (_, stdout, code, exit) => {
  const args = ['--stage', 'prod', '--json']
  expect(await doctor(args, { stdout, stderr: 'a notice', code })).toEqual({ stdout, stderr: 'a notice', code: exit })
  expect(spawn.mock.calls).toMatchObject([
    [process.execPath, [expect.any(String), 'check', ...args], expect.anything()],
  ])
})

const UNKNOWN = "Error:\nConfiguration error at 'provider.region': must be equal to one of the allowed values\n"

test.each<[string, string[], string, string]>([
  ['--region', ['--region', 'europe'], 'other', 'other'],
  ['-r', ['-r', 'europe'], 'other', 'other'],
  ['AWS_REGION', [], 'europe', 'other'],
  ['AWS_DEFAULT_REGION', [], '', 'europe'],
])('a region of %s that Serverless does not know is a fault', async (_, args, region, byDefault) => {
  vi.stubEnv('AWS_REGION', region || undefined)
  vi.stubEnv('AWS_DEFAULT_REGION', byDefault)
  const { stdout, code } = await doctor(args, { stderr: UNKNOWN, code: 1 })
  expect(stdout).toMatch(/^FAULT {3}region: europe is not a region that Serverless knows: [^\n]*\n$/)
  expect(code).toBe(1)
})

test('any other error is a fault in one line of bounded length, whatever its exit code', async () => {
  const stderr = `Environment: linux\n\nError:\nCannot resolve\n  a variable ${'x'.repeat(600)}\n`
  const { stdout, code } = await doctor([], { stderr })
  expect(stdout).toMatch(/^FAULT {3}serverless: Cannot resolve a variable x{474}\n$/)
  expect(code).toBe(1)
  const asJson = await doctor(['--json'], { stderr: 'killed', code: null })
  expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: false, findings: [{ check: 'serverless', message: 'killed' }] })
})

test.each(['--stage', '-s'])(
  'a stage of %s that is no name is a fault, and Serverless is not started',
  async (option) => {
    const { stdout, code } = await doctor([option, 'prod_1'])
    expect(stdout).toMatch(/^FAULT {3}stage name: "prod_1" is not a name/)
    expect(code).toBe(1)
    expect(spawn).not.toHaveBeenCalled()
  },
)
