/** The local issuer: one key for as long as its folder is there, and tokens that the service takes. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StageFailure } from '../../../infra/failure.ts'
import { localIssuer } from '../../../infra/local/issuer.ts'
import { createVerifier } from '../../../lib/auth/token.ts'
import { tokenIssuers } from '../../../lib/auth/token-issuers.ts'
import { readSettings } from '../../../lib/settings.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

const keyFile = () => join(folder.path, 'issuer.json')

describe('the key', () => {
  test('is the same for all processes, from the first start on', async () => {
    const issuers = await Promise.all(Array.from({ length: 5 }, () => localIssuer(folder.path)))
    const later = await localIssuer(folder.path)
    for (const { settings } of issuers) expect(settings).toEqual(later.settings)
  })

  test('is for its owner’s eyes only, and so is the folder that is made for it', async () => {
    const made = join(folder.path, 'new', 'folder')
    await localIssuer(made)
    expect((await stat(join(made, 'issuer.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(made)).mode & 0o777).toBe(0o700)
  })

  test('is not in the settings of the service: they have its public half', async () => {
    const { settings } = await localIssuer(folder.path)
    const { d } = JSON.parse(await readFile(keyFile(), 'utf8'))
    expect(d).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(settings)).not.toContain(d)
    expect(settings.jwks?.keys).toEqual([
      expect.objectContaining({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' }),
    ])
  })

  test.each(['', 'no key', '{}', '{"kty":"RSA","n":"x","e":"AQAB","kid":"k"}'])(
    'is not replaced when the file holds something else: "%s"',
    async (text) => {
      await writeFile(keyFile(), text)
      const failure = await localIssuer(folder.path).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(StageFailure)
      expect(failure).toHaveProperty('message', `${keyFile()} holds no Ed25519 key: remove it to have a new one`)
      expect(await readFile(keyFile(), 'utf8')).toBe(text)
    },
  )

  test('reports in one line that its folder cannot be created', async () => {
    await writeFile(join(folder.path, 'file'), '')
    await expect(localIssuer(join(folder.path, 'file'))).rejects.toThrow(/^.*issuer\.json cannot be used: .+$/)
  })
})

describe('a token', () => {
  const epochSeconds = () => Date.now() / 1000
  const verify = async (token: string, now = epochSeconds) => {
    const { settings } = await localIssuer(folder.path)
    const environment = {
      TABLE_NAME: 'table',
      PUBLIC_URL: 'http://127.0.0.1',
      TOKEN_ISSUERS: JSON.stringify([settings]),
    }
    return createVerifier(tokenIssuers(readSettings(environment)), now)(`Bearer ${token}`)
  }

  test('makes the principal that it was made for', async () => {
    const issuer = await localIssuer(folder.path)
    const organizations = { acme: ['owner', 'verifier'], 'did:web:b': ['admin'] }
    const claims = {
      role: 'RestTenantAgent',
      tenantId: 'acme',
      organizations,
      subject: 'alice',
      expires: '15m',
    } as const
    const before = Math.floor(epochSeconds())
    const principal = await verify(await issuer.sign(claims))
    expect(principal).toEqual({
      role: 'RestTenantAgent',
      tenantId: 'acme',
      organizations,
      subject: 'alice',
      expiresAt: expect.any(Number),
    })
    expect(principal.expiresAt).toBeGreaterThanOrEqual(before + 900)
    expect(principal.expiresAt).toBeLessThanOrEqual(epochSeconds() + 900)
  })

  test('is a root’s, good for a day, unless something else is said', async () => {
    const issuer = await localIssuer(folder.path)
    const { iat = 0, exp = 0, ...claims } = decodeJwt(await issuer.sign({ role: 'RestRootAgent' }))
    expect(exp - iat).toBe(86_400)
    expect(claims).toMatchObject({ sub: 'RestRootAgent', role: 'RestRootAgent', resource_access: {} })
  })

  test('is good after the issuer was started anew, and no longer than it says', async () => {
    const token = await (await localIssuer(folder.path)).sign({ role: 'RestRootAgent', expires: '90s' })
    await expect(verify(token, () => epochSeconds() + 60)).resolves.toMatchObject({ role: 'RestRootAgent' })
    await expect(verify(token, () => epochSeconds() + 130)).rejects.toMatchObject({ code: 'auth.unauthorized' })
  })

  test('of another folder’s issuer is not good here', async () => {
    const token = await (await localIssuer(join(folder.path, 'other'))).sign({ role: 'RestRootAgent' })
    await expect(verify(token)).rejects.toMatchObject({ code: 'auth.unauthorized' })
  })
})
