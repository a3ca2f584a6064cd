/** The message of the interop suite with ACA-Py where it cannot run. */
import { expect, test } from 'vitest'
import { runProgram } from '../support/stage/program.ts'

test('without a suitable Python the suite says so in one line, and does not pass', async () => {
  const env = { ACAPY_PYTHON: 'no-python-of-this-name' }
  const { code, stdout, stderr } = await runProgram('npm', ['run', '--silent', 'interop:acapy'], { env })
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toBe('interop:acapy cannot run: there is no Python 3.13 on this machine (ACAPY_PYTHON can name one)\n')
})
