/** Lists of this service: which bits a status changes, how they are signed, and that its verifiers read them from the table. */
import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK, importX509 } from 'jose'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createIssuer, updateIssuer } from '../../../lib/openid4vci/issuers.ts'
import type { IssuedStatus } from '../../../lib/records/openid4vci.ts'
import { takeIndex } from '../../../lib/status-list/indexes.ts'
import { ENTRIES, statusListUri } from '../../../lib/status-list/lists.ts'
import { readList } from '../../../lib/status-list/own-list.ts'
import { setStatuses } from '../../../lib/status-list/pieces.ts'
import { readStatus } from '../../../lib/status-list/read.ts'
import { statusListToken } from '../../../lib/status-list/token.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { createCertificate } from '../../../lib/x509/create.ts'
import { atHttps, HTTPS_URL } from '../../support/stage/at-https.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ memory: true })
const newCertificate = (tenant = 'acme') =>
  transaction(tenant, async (unit) => (await createCertificate(unit, { issuer: `CN=${tenant}` })).keyId as string)
const list = { issuerId: 'university', listId: 'degrees' }
const uri = `${HTTPS_URL}/oid4vci/university/status/degrees`
let certificateId = ''
beforeAll(async () => {
  certificateId = await newCertificate()
  await atHttps(() =>
    transaction('acme', async (unit) => {
      await createIssuer(unit, { issuerId: list.issuerId, credentialConfigurationsSupported: {} })
      await takeIndex(unit, { ...list, index: 0, until: new Date() })
    }),
  )
})
afterEach(() => void vi.useRealTimers())

const set = (indexes: number[], status: IssuedStatus) =>
  transaction('acme', (unit) => setStatuses(unit, [{ listId: list.listId, indexes }], status))
const token = (of = list) => atHttps(() => statusListToken(of))
const headerKey = (header: object) => (header as { jwk: object }).jwk
const statusAt = (idx: number, at = uri) => atHttps(() => readStatus({ uri: at, idx }, { keyOf: headerKey }))

describe('a list', () => {
  test('has the status of each index, as other libraries read it', async () => {
    await set([1, 2047, 2048, ENTRIES - 1], 'revoked')
    await set([2, 2049], 'suspended')
    const { jwt } = await token()
    const read = getListFromStatusListJWT(jwt)
    const statuses = [0, 1, 2, 3, 2046, 2047, 2048, 2049, 2050, ENTRIES - 1].map((index) => read.getStatus(index))
    expect(statuses).toEqual([0, 1, 2, 0, 0, 1, 1, 2, 0, 1])
    expect(() => read.getStatus(ENTRIES)).toThrow()
    await set([2, 2049], 'valid')
    expect([await statusAt(2), await statusAt(2049), await statusAt(1)]).toEqual(['valid', 'valid', 'invalid'])
  })

  test('that changes twice at the same time has both changes', async () => {
    let runs = 0
    await transaction('acme', async (unit) => {
      await setStatuses(unit, [{ listId: list.listId, indexes: [20] }], 'revoked')
      if (++runs === 1) await set([21], 'revoked')
    })
    expect([await statusAt(20), await statusAt(21), runs]).toEqual(['invalid', 'invalid', 2])
  })

  test('with the same statuses as another one has its own address', async () => {
    for (const listId of ['one', 'two']) {
      await transaction('acme', (unit) => takeIndex(unit, { ...list, listId, index: 0, until: new Date() }))
      expect(decodeJwt((await token({ ...list, listId })).jwt).sub).toBe(
        `${HTTPS_URL}/oid4vci/university/status/${listId}`,
      )
    }
  })

  test('is signed by the certificate in its header, and its key', async () => {
    const { jwt } = await token()
    const header = decodeProtectedHeader(jwt)
    expect(header).toMatchObject({ alg: 'ES256', typ: 'statuslist+jwt', kid: expect.any(String) })
    expect(headerKey(header)).toMatchObject({ kid: header.kid })
    expect(headerKey(header)).not.toHaveProperty('d')
    const pem = `-----BEGIN CERTIFICATE-----\n${header.x5c?.[0]}\n-----END CERTIFICATE-----`
    await compactVerify(jwt, await importX509(pem, 'ES256'))
    await compactVerify(jwt, await importJWK(headerKey(header), 'ES256'))
  })

  test('is valid for a day from a time that all of five minutes share, and has one validator then', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-12-01T10:04:59.999Z') })
    const first = await token()
    const iat = Date.parse('2026-12-01T10:00:00Z') / 1000
    expect(decodeJwt(first.jwt)).toMatchObject({ sub: uri, iat, exp: iat + 86_400, ttl: 300 })
    vi.setSystemTime('2026-12-01T10:00:00Z')
    const etag = (await token()).etag
    expect(etag).toBe(first.etag)
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/)
    vi.setSystemTime('2026-12-01T10:05:00Z')
    expect((await token()).etag).not.toBe(etag)
    vi.setSystemTime('2026-12-01T10:00:00Z')
    await set([5], 'revoked')
    expect((await token()).etag).not.toBe(etag)
  })

  test('costs one query for its bits, and nothing is written', async () => {
    table.watch()
    await token()
    expect(table.requests.filter((name) => name === 'Query').length).toBeLessThanOrEqual(3)
    expect(table.requests.filter((name) => !/^(Query|GetItem|BatchGetItem)$/.test(name))).toEqual([])
  })

  test('is signed by the current certificate; another one of the tenant changes nothing', async () => {
    const kidOf = async () => decodeProtectedHeader((await token()).jwt).kid
    const before = await kidOf()
    const another = await newCertificate()
    expect(await kidOf()).toBe(before)
    const choose = (id: string) =>
      atHttps(() =>
        transaction('acme', (unit) =>
          updateIssuer(unit, list.issuerId, { credentialConfigurationsSupported: {}, certificateId: id }),
        ),
      )
    await choose(another)
    expect(await kidOf()).not.toBe(before)
    await choose(certificateId)
    expect(await kidOf()).toBe(before)
  })
})

test.each([
  ['unknown list', { ...list, listId: 'other' }],
  ['unknown issuer', { ...list, issuerId: 'other' }],
  ['list of another issuer', { ...list, issuerId: 'globex' }],
])('an %s is the same 404', async (_, of) => {
  await newCertificate('globex')
  await atHttps(() =>
    transaction('globex', (unit) => createIssuer(unit, { issuerId: 'globex', credentialConfigurationsSupported: {} })),
  ).catch(() => undefined)
  await expect(token(of)).rejects.toMatchObject({
    code: 'resource.not_found',
    message: 'there is no such status list',
  })
})

describe('an own list', () => {
  test('is read from the table each time, not by HTTP', async () => {
    table.watch()
    await set([9], 'suspended')
    expect(await statusAt(9)).toBe('suspended')
    await set([9], 'valid')
    expect(await statusAt(9)).toBe('valid')
    expect(await atHttps(async () => statusListUri(list.issuerId, list.listId))).toBe(uri)
  })

  test.each([
    ['other', `${HTTPS_URL}/oid4vci/university/status/other`],
    ['with a query', `${uri}?a`],
    ['below another path', `${HTTPS_URL}/oid4vci/x/oid4vci/university/status/degrees`],
    ['with a longer path', `${uri}/status/degrees`],
    ['with dots', `${HTTPS_URL}/oid4vci/x/../university/status/degrees`],
    ['with an escape', `${HTTPS_URL}/oid4vci/university/status/%64egrees`],
    ['without an id', `${HTTPS_URL}/oid4vci/university/status/`],
    ['with a key of the table', `${HTTPS_URL}/oid4vci/university/status/degrees|x`],
  ])('%s is unreadable', async (_, at) => {
    await expect(atHttps(() => readList(at))).rejects.toThrow('unreadable: there is no such list')
  })

  test('is that of the public URL only', async () => {
    await expect(atHttps(() => readList('https://agent.example.evil.invalid/oid4vci/a/status/b'))).rejects.toThrow(
      /^unreadable: (?!there is no such list)/,
    )
  })
})
