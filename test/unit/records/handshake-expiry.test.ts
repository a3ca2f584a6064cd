import { expect, test } from 'vitest'
import { handshakePartExpiry, mayOutlive } from '../../../lib/records/handshake-expiry.ts'

test('a DID or key for a handshake lasts as long as any that begins within a day', () => {
  const expiresAt = handshakePartExpiry(new Date('2026-11-20T00:00:00Z'))
  expect(mayOutlive(expiresAt, new Date('2026-11-21T00:00:00Z'))).toBe(true)
  expect(mayOutlive(expiresAt, new Date('2026-11-21T00:00:01Z'))).toBe(false)
})
