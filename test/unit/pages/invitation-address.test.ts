/** The addresses of an invitation. */
import { expect, test } from 'vitest'
import { longAddress } from '../../../lib/pages/invitation-address.ts'
import { settings } from '../../../lib/settings.ts'

/** The long address of an invitation whose JSON has this many bytes: three are four characters. */
const addressOf = (bytes: number): string | undefined =>
  longAddress({ label: 'x'.repeat(bytes - JSON.stringify({ label: '' }).length) })

test('there is no long one of more characters than the gateway takes', () => {
  const room = Math.floor(((7_000 - `${settings().PUBLIC_URL}?oob=`.length) * 3) / 4)
  expect(addressOf(room)).toHaveLength(7_000)
  expect(addressOf(room + 1)).toBeUndefined()
})
