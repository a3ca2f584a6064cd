/** `npm run -s token`: one token and nothing else, or one line with the error. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localIssuer } from '../../infra/local/issuer.ts'
import { createVerifier } from '../../lib/auth/token.ts'
import { tokenIssuers } from '../../lib/auth/token-issuers.ts'
import { readSettings } from '../../lib/settings.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { type Ending, endPrograms, runProgram } from '../support/stage/program.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(async () => {
  endPrograms()
  await folder[Symbol.asyncDispose]()
})

const run = (args: string[], DATA_DIR = folder.path): Promise<Ending> =>
  runProgram('npm', ['run', '-s', 'token', '--', ...args], { env: { DATA_DIR } })

/** The principal of the token for the service. */
const principalOf = async (token: string) => {
  const { settings } = await localIssuer(folder.path)
  const TOKEN_ISSUERS = JSON.stringify([settings])
  const environment = { TABLE_NAME: 'table', PUBLIC_URL: 'http://127.0.0.1', TOKEN_ISSUERS }
  return createVerifier(tokenIssuers(readSettings(environment)))(token)
}

/** Seconds for which it is valid. */
const lifetimeOf = (token: string): number => {
  const { iat = 0, exp = 0 } = decodeJwt(token)
  return exp - iat
}

describe.concurrent('it prints one token', () => {
  test.each([
    [[], { role: 'RestRootAgentWithTenants', subject: 'RestRootAgentWithTenants', organizations: {} }, 3_600],
    [
      '--role RestTenantAgent --tenant acme --org acme:owner --org acme:verifier --org b:admin --expires 15m'.split(
        ' ',
      ),
      {
        role: 'RestTenantAgent',
        tenantId: 'acme',
        subject: 'RestTenantAgent',
        organizations: { acme: ['owner', 'verifier'], b: ['admin'] },
      },
      900,
    ],
    [['--role', 'RestRootAgent', '--expires', '7d'], { role: 'RestRootAgent' }, 604_800],
  ])('and nothing else: %j', async (args, principal, seconds) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const token = stdout.trim()
    expect(await principalOf(token)).toMatchObject(principal)
    expect(lifetimeOf(token)).toBe(seconds)
  })
})

describe.concurrent('it says in one line what is wrong', () => {
  const line = ({ code, stdout, stderr }: Ending): string => {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^[^\n]+\n$/)
    return stderr
  }

  test.each([
    [['--role', 'Root'], /^--role is one of/],
    [['--role', 'RestTenantAgent'], /^--tenant is needed/],
    [['--tenat', 'acme'], /--tenat/],
  ])('%j', async (args, expected) => {
    expect(line(await run(args))).toMatch(expected)
  })

  test('a DATA_DIR that is a file', async () => {
    const file = join(folder.path, 'file')
    await writeFile(file, '')
    expect(line(await run([], file))).toMatch(file)
  })
})
