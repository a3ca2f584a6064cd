/** The addresses of an invitation. */
import { expect, test } from 'vitest'
import { longAddress, shortAddress, walletAddress } from '../../../lib/pages/invitation-address.ts'
import { settings } from '../../../lib/settings.ts'

/** The long address of an invitation whose JSON has this many bytes: three are four characters. */
const addressOf = (bytes: number): string | undefined =>
  longAddress({ label: 'x'.repeat(bytes - JSON.stringify({ label: '' }).length) })

test('there is no long address with more characters than the gateway accepts', () => {
  const room = Math.floor(((7_000 - `${settings().PUBLIC_URL}?oob=`.length) * 3) / 4)
  expect(addressOf(room)).toHaveLength(7_000)
  expect(addressOf(room + 1)).toBeUndefined()
})

test.each([
  ['https://didcomm.org/out-of-band/1.1/invitation', 'oob'],
  ['https://didcomm.org/connections/1.0/invitation', 'c_i'],
  ['https://didcomm.org/connections/1.9/invitation', 'c_i'],
  ['https://didcomm.org/connections/1.0/request', 'oob'],
])('%s is in the query %s, for wallets too', (type, name) => {
  const invitation = { '@type': type, '@id': 'an id' }
  const query = `?${name}=${Buffer.from(JSON.stringify(invitation)).toString('base64url')}`
  expect(longAddress(invitation)).toBe(settings().PUBLIC_URL + query)
  expect(walletAddress(invitation)).toBe(`didcomm://invite${query}`)
  expect(shortAddress(invitation)).toBe(`${settings().PUBLIC_URL}/url/an%20id`)
})
