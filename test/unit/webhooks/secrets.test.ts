/** Signing secrets: sealed at their own address, both open for a day after a rotation. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import type { Endpoint } from '../../../lib/webhooks/endpoint-item.ts'
import { decryptSecrets, newSecret, PREVIOUS_SECONDS, sealSecret } from '../../../lib/webhooks/secrets.ts'

const NOW = Date.parse('2026-01-01T00:00:00.000Z')

const seal = (secret: string) => sealSecret(new UnitOfWork('@base'), { orgId: 'acme', kind: 'webhook' }, secret)

const sealed = async (changes: Partial<Endpoint> = {}) => ({
  orgId: 'acme',
  kind: 'webhook' as const,
  secret: await seal('whsec_new'),
  ...changes,
})

test('a new secret has 32 bytes, differs each time, and is accepted by the library', () => {
  const secret = newSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSecret()).not.toBe(secret)
  expect(() => new Webhook(secret)).not.toThrow()
})

describe('a sealed secret', () => {
  test('is opened, and has nothing of it in the clear', async () => {
    const endpoint = await sealed()
    expect(Buffer.from(endpoint.secret).toString('latin1')).not.toContain('whsec')
    expect(await decryptSecrets(endpoint, NOW)).toEqual(['whsec_new'])
  })

  test.each([
    ['of another organization', { orgId: 'other' }],
    ['of the other kind', { kind: 'notification' as const }],
  ])('is not opened in the place of an endpoint %s', async (_name, changes) => {
    await expect(decryptSecrets(await sealed(changes), NOW)).rejects.toThrow()
  })
})

describe('after a rotation', () => {
  const rotated = async (secondsAgo: number) =>
    sealed({
      previousSecret: await seal('whsec_old'),
      previousUntil: NOW / 1000 - secondsAgo + PREVIOUS_SECONDS,
    })

  test('both sign, the new one first', async () => {
    expect(await decryptSecrets(await rotated(0), NOW)).toEqual(['whsec_new', 'whsec_old'])
    expect(await decryptSecrets(await rotated(PREVIOUS_SECONDS - 1), NOW)).toEqual(['whsec_new', 'whsec_old'])
  })

  test('only the new one signs when 24 h are over', async () => {
    expect(PREVIOUS_SECONDS).toBe(24 * 3600)
    expect(await decryptSecrets(await rotated(PREVIOUS_SECONDS), NOW)).toEqual(['whsec_new'])
  })

  test('a previous one without an end does not sign', async () => {
    const { previousUntil: _, ...endpoint } = await rotated(0)
    expect(await decryptSecrets(endpoint, NOW)).toEqual(['whsec_new'])
  })
})
