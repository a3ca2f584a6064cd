/** Which offers have nothing beyond the proposal, so that they may be accepted without a call. */
import { expect, test } from 'vitest'
import { proposesAllOf } from '../../../../lib/agent/exchanges/credentials/offer-acceptance.ts'

test.each<[boolean, string, { proposal?: object; offer?: object }]>([
  [true, 'of all formats that were proposed', { proposal: { jsonld: {}, indy: {} }, offer: { jsonld: {}, indy: {} } }],
  [true, 'of one of the formats', { proposal: { jsonld: {}, indy: {} }, offer: { indy: {} } }],
  [false, 'of a format more', { proposal: { jsonld: {} }, offer: { jsonld: {}, indy: {} } }],
  [false, 'of another format', { proposal: { jsonld: {} }, offer: { indy: {} } }],
  [false, 'to which there was no proposal', { offer: { indy: {} } }],
])('%s: an offer %s', (isProposed, _which, data) => {
  expect(proposesAllOf(data)).toBe(isProposed)
})
