/** The settings of the local stage, and the error of each in one line. */
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { StageFailure } from '../../../infra/failure.ts'
import { localSettings } from '../../../infra/local/settings.ts'
import { ALL_GRANTS } from '../../../lib/auth/grants.ts'

const DEFAULTS = {
  host: '127.0.0.1',
  port: 3000,
  tls: false,
  dataDir: undefined,
  issuerDir: resolve('.data'),
  logLevel: 'warn',
  publicUrl: undefined,
  tokenIssuers: [],
  dynamodbEndpoint: undefined,
}

test('no setting is required', () => {
  expect(localSettings({})).toEqual(DEFAULTS)
})

test('an empty variable is as good as none', () => {
  const empty = Object.fromEntries(
    ['PORT', 'TLS', 'DATA_DIR', 'LOG_LEVEL', 'PUBLIC_URL', 'TOKEN_ISSUERS', 'DYNAMODB_ENDPOINT'].map((name) => [
      name,
      '',
    ]),
  )
  expect(localSettings(empty)).toEqual(DEFAULTS)
})

describe('what is said counts', () => {
  test.each([
    ['0', 0],
    ['1', 1],
    ['65535', 65_535],
  ])('PORT=%s', (PORT, port) => {
    expect(localSettings({ PORT })).toEqual({ ...DEFAULTS, port })
  })

  test.each([
    ['on', true],
    ['off', false],
  ])('TLS=%s', (TLS, tls) => {
    expect(localSettings({ TLS })).toEqual({ ...DEFAULTS, tls })
  })

  test('DATA_DIR is a folder from here, and the issuer is in it', () => {
    expect(localSettings({ DATA_DIR: 'kept/here' })).toMatchObject({
      dataDir: resolve('kept/here'),
      issuerDir: resolve('kept/here'),
    })
  })

  test.each(['https://agent.example.org', 'https://agent.example.org/', 'https://agent.example.org//'])(
    'PUBLIC_URL is without the slash at its end: %s',
    (PUBLIC_URL) => {
      expect(localSettings({ PUBLIC_URL }).publicUrl).toBe('https://agent.example.org')
    },
  )

  const issuer = { issuer: 'a', audience: 'b' }

  test('TOKEN_ISSUERS come beside the local one: a single one has all grants all the same', () => {
    const TOKEN_ISSUERS = JSON.stringify([issuer])
    expect(localSettings({ TOKEN_ISSUERS }).tokenIssuers).toEqual([{ ...issuer, grants: ALL_GRANTS }])
  })

  test('what is wrong with one of them is named', () => {
    expect(() => localSettings({ TOKEN_ISSUERS: '[{"issuer":"a"}]' })).toThrow(/^TOKEN_ISSUERS\.0\.audience: .+$/)
  })

  test('DYNAMODB_ENDPOINT is used in place of the embedded one', () => {
    expect(localSettings({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000' }).dynamodbEndpoint).toBe('http://127.0.0.1:8000')
  })
})

describe('an invalid setting is reported in one line that names it', () => {
  test.each([
    ['PORT', 'abc', 'is not a whole number from 0 to 65535'],
    ['PORT', '-1', 'is not a whole number from 0 to 65535'],
    ['PORT', '65536', 'is not a whole number from 0 to 65535'],
    ['PORT', '3000.5', 'is not a whole number from 0 to 65535'],
    ['PORT', '0x10', 'is not a whole number from 0 to 65535'],
    ['PORT', ' 80', 'is not a whole number from 0 to 65535'],
    ['TLS', 'true', 'is neither on nor off'],
    ['TOKEN_ISSUERS', 'issuer', 'is not JSON'],
    ['TOKEN_ISSUERS', '{"issuer":"a"}', 'is not a list'],
    ['TOKEN_ISSUERS', 'null', 'is not a list'],
    ['DYNAMODB_ENDPOINT', 'localhost', 'is not a URL'],
    ['TENANT_RATE', 'fast', 'is not a whole number from 1 to 999999'],
    ['OPERATION_RATE', '0', 'is not a whole number from 1 to 999999'],
    ['DIDCOMM_RATE', '1.5', 'is not a whole number from 1 to 999999'],
    ['ADDRESS_RATE', '9', 'is not a whole number from 10 to 999999999'],
  ])('%s=%s', (name, value, why) => {
    const failure = (() => {
      try {
        return localSettings({ [name]: value })
      } catch (error) {
        return error
      }
    })()
    expect(failure).toBeInstanceOf(StageFailure)
    expect(failure).toHaveProperty('message', `${name}: ${why}`)
  })
})
