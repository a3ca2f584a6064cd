/** The commands of an operator as programs, without AWS: their output, and their files. */
import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMPILED } from '../../../infra/local/compile-cache.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'
import { runProgram } from '../../support/stage/program.ts'

const SERVERLESS = resolve('node_modules/serverless/bin/serverless.js')
const DOCTOR = resolve('infra/doctor.ts')

const run = (args: string[], env: Record<string, string>) =>
  runProgram(process.execPath, args, { env: { NODE_COMPILE_CACHE: COMPILED, ...env } })

test('`serverless deploy` names every setting that is wrong, in a line each', async () => {
  const wrong = { LOG_LEVEL: 'loud', WAITING_LANES: '0', ALARM_EMAIL: 'ops', SLS_LOG_LEVEL: 'error' }
  const { code, stdout, stderr } = await run([SERVERLESS, 'deploy', '--stage', 'prod'], wrong)
  expect(code).not.toBe(0)
  const named = [...`${stdout}${stderr}`.matchAll(/^settings: ([A-Z_]+)/gm)].map(([, name]) => name)
  expect(named).toEqual(['TOKEN_ISSUERS', 'LOG_LEVEL', 'ALARM_EMAIL', 'WAITING_LANES', 'PUBLIC_URL'])
})

test('`serverless logs` says in a line how the log of a function is read', async () => {
  const args = ['logs', '--stage', 'prod', '--function', 'health']
  const { code, stdout } = await run([SERVERLESS, ...args], { SLS_LOG_LEVEL: 'error' })
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^All functions share a log group: aws logs tail .*--stack-name serverless-agent-prod .*\/serverless-agent-prod-health\[" --follow$/m,
  )
})

test('`serverless logs` names a function that there is not', async () => {
  const { code, stdout } = await run([SERVERLESS, 'logs', '--function', 'nothing'], { SLS_LOG_LEVEL: 'error' })
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^Function "nothing" doesn't exist/m)])
})

describe('`npm run doctor`', () => {
  // No address of a public name, and nothing is asked of the network.
  const jwksUri = 'https://localhost.localdomain/jwks'
  const env = {
    TOKEN_ISSUERS: JSON.stringify([{ issuer: 'https://id.example', audience: 'agent', jwksUri }]),
    ...{ PUBLIC_URL: 'https://agent.example.org', AWS_REGION: 'eu-central-1' },
    ...{ AWS_ACCESS_KEY_ID: 'nobody', AWS_SECRET_ACCESS_KEY: 'nothing', AWS_ENDPOINT_URL: 'http://127.0.0.1:9' },
  }

  const doctor = async (...args: string[]) => {
    await using folder = await temporaryFolder()
    const ended = await run([DOCTOR, '--stage', 'prod', ...args], { ...env, TMPDIR: folder.path })
    return { ...ended, left: await readdir(folder.path) }
  }
  const KEYS = /^https:\/\/localhost\.localdomain\/jwks.* the keys of https:\/\/id\.example.* as jwks beside jwksUri/

  test('finds an issuer whose keys can’t be had, in a line that says what to do, and leaves no file', async () => {
    const { code, stdout, stderr, left } = await doctor()
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(`^(warning|FAULT  ) token issuers: ${KEYS.source.slice(1)}`, 'm'))
    expect(stderr).toBe('')
    expect(left).toEqual([])
  })

  test('finds it with --json too, and writes nothing beside', async () => {
    const { stdout, stderr, left } = await doctor('--json')
    const { findings } = JSON.parse(stdout)
    const ofIssuers = findings.filter(({ check }: { check: string }) => check === 'token issuers')
    expect(ofIssuers).toEqual([expect.objectContaining({ message: expect.stringMatching(KEYS) })])
    expect([stderr, left]).toEqual(['', []])
  })

  test.each([
    [['--region', 'eu-central-9'], 'region', /^eu-central-9 is not a region that Serverless knows/],
    [['--stage', 'my_stage'], 'stage name', /^"my_stage" is not a name for a stack/],
  ])('reports that Serverless does not start: %j', async (args, check, message) => {
    const { stdout, stderr, code } = await doctor('--json', ...args)
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      findings: [{ check, status: 'fault', message: expect.stringMatching(message) }],
    })
    expect([stderr, code]).toEqual(['', 1])
  })
})
