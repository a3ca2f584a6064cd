/** A deployment with several wrong settings: all of them are told at once, whichever plugin reads them, and AWS is asked nothing. */
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../../support/stage/program.ts'

test('`serverless deploy` names every setting that is wrong, in a line each', { timeout: 60_000 }, async () => {
  const serverless = resolve('node_modules/serverless/bin/serverless.js')
  const wrong = { LOG_LEVEL: 'loud', CANARY_PERCENT: '100', ALARM_EMAIL: 'ops', SLS_LOG_LEVEL: 'error' }
  const { code, stdout, stderr } = await runProgram(process.execPath, [serverless, 'deploy', '--stage', 'prod'], {
    env: wrong,
  })
  expect(code).not.toBe(0)
  const named = [...`${stdout}${stderr}`.matchAll(/^settings: ([A-Z_]+)/gm)].map(([, name]) => name)
  expect(named).toEqual(['TOKEN_ISSUERS', 'LOG_LEVEL', 'CANARY_PERCENT', 'ALARM_EMAIL', 'PUBLIC_URL'])
})
