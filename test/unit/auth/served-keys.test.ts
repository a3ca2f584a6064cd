/** The two clients that read an issuer's keys at its address: what they take, and where they end. */
import { readFileSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { keysOfText } from '../../../lib/auth/importable-keys.ts'
import { servedKeys } from '../../../lib/auth/served-keys.ts'
import { readOperatorAddress } from '../../../lib/egress/operator-address.ts'
import { certificateFor } from '../../support/webhooks/certificate.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../../support/webhooks/faulty-receiver.ts'

const KEYCLOAK = readFileSync('test/support/issuers/keycloak-certs.json', 'utf8')
const NAME = 'id.example.org'
const LOCAL = { local: true }
const leadingTo =
  (address: string): LookupFunction =>
  (_name, _options, callback) =>
    callback(null, [{ address, family: 4 }])

let server: FaultyReceiver
afterEach(() => server?.stop())

describe('the guarded client, at a deployment and on schedule', () => {
  const secure = async (certificate = certificateFor(NAME)) => {
    server = await startFaultyReceiver(certificate)
    server.behave({ status: 200, body: KEYCLOAK })
    return { url: `https://${NAME}:${server.port}/certs`, authorities: certificate.cert }
  }

  test('takes the keys of who has a certificate of that name', async () => {
    const { url, authorities } = await secure()
    const served = await servedKeys(url, LOCAL, { authorities, resolve: leadingTo('127.0.0.1') })
    expect(served).toEqual({ keys: keysOfText(KEYCLOAK) })
  })

  test('takes nothing of who has none; another time it may be another’s', async () => {
    const { url } = await secure()
    const served = await servedKeys(url, LOCAL, { resolve: leadingTo('127.0.0.1') })
    expect(served).toEqual({ reason: 'tls: DEPTH_ZERO_SELF_SIGNED_CERT', rejected: false })
  })

  test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254'])(
    'does not connect to %s, whatever name leads there',
    async (to) => {
      const { url, authorities } = await secure()
      const served = await servedKeys(url, { local: false }, { authorities, resolve: leadingTo(to) })
      expect(served).toEqual({ reason: expect.stringContaining(`${NAME} leads to`), rejected: true })
      expect(server.connections()).toBe(0)
    },
  )

  test('tells an address that is not allowed from what its issuer says there', async () => {
    server = await startFaultyReceiver()
    const answerTo = async (status: number, body = '') => {
      server.behave({ status, body })
      return servedKeys(server.url, LOCAL)
    }
    expect(await answerTo(503)).toEqual({ reason: 'status 503', rejected: false })
    for (const body of ['x'.repeat(512 * 1024), 'é'.repeat(256 * 1024)])
      expect(await answerTo(200, body)).toEqual({ reason: 'is too large', rejected: false })
    const secret = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), d: 'A'.repeat(43) }
    for (const [body, reason] of [
      ['{}', 'is not a JSON Web Key Set'],
      ['<html>', 'is not JSON'],
      ['{"keys":[]}', 'has no key that could verify a token'],
      [JSON.stringify({ keys: [secret] }), 'holds a private key'],
    ])
      expect(await answerTo(200, body)).toEqual({ reason, rejected: false })
    expect(await servedKeys(server.url, { local: false })).toEqual({ reason: expect.any(String), rejected: true })
    server.behave('reset amid the body')
    expect(await servedKeys(server.url, LOCAL)).toEqual({ reason: 'reset', rejected: false })
  })
})

describe('the small client, while a request waits', () => {
  /** Time enough, however busy the machine is. */
  const limits = { milliseconds: 60 * 60_000, bytes: 64 * 1024, local: true }

  test.each([
    ['stall before the headers', 300],
    ['stall amid the body', 300],
    ['reset amid the body', limits.milliseconds],
    ['endless body', limits.milliseconds],
    ['garbage', limits.milliseconds],
  ] as const)('ends by itself: %s', async (fault, milliseconds) => {
    server = await startFaultyReceiver()
    server.behave(fault)
    await expect(readOperatorAddress(server.url, { ...limits, milliseconds })).rejects.toThrow()
  })

  test('takes nothing of who has no certificate that is trusted', async () => {
    server = await startFaultyReceiver(certificateFor('localhost'))
    server.behave({ status: 200, body: KEYCLOAK })
    await expect(
      readOperatorAddress(`https://localhost:${server.port}/`, { ...limits, local: false }),
    ).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(server.received).toEqual([])
  })

  test('follows no redirect', async () => {
    server = await startFaultyReceiver()
    server.behave({ status: 302, headers: { location: `${server.url}/elsewhere` }, body: KEYCLOAK })
    await expect(readOperatorAddress(server.url, limits)).rejects.toThrow('status 302')
    expect(server.received).toHaveLength(1)
  })

  test('takes a body up to its limit', async () => {
    server = await startFaultyReceiver()
    server.behave({ status: 200, body: KEYCLOAK })
    expect(await readOperatorAddress(server.url, { ...limits, bytes: KEYCLOAK.length })).toBe(KEYCLOAK)
    await expect(readOperatorAddress(server.url, { ...limits, bytes: KEYCLOAK.length - 1 })).rejects.toThrow(
      'more than',
    )
  })
})
