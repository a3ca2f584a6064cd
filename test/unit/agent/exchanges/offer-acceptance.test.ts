/** Which offers have nothing beyond the proposal, so that they may be accepted without a call. */
import { CredoError } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { autoAccept } from '../../../../lib/agent/exchanges/auto-accept.ts'
import { OfferAcceptance, proposesAllOf } from '../../../../lib/agent/exchanges/credentials/offer-acceptance.ts'
import { BASE_AGENT } from '../../../../lib/records/tenant.ts'
import { settings } from '../../../../lib/settings.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { useTable } from '../../store/use-table.ts'

await useTable({ memory: true, check: false })

test.each<[boolean, string, { proposal?: object; offer?: object }]>([
  [true, 'of all formats that were proposed', { proposal: { jsonld: {}, indy: {} }, offer: { jsonld: {}, indy: {} } }],
  [true, 'of one of the formats', { proposal: { jsonld: {}, indy: {} }, offer: { indy: {} } }],
  [false, 'of a format more', { proposal: { jsonld: {} }, offer: { jsonld: {}, indy: {} } }],
  [false, 'of another format', { proposal: { jsonld: {} }, offer: { indy: {} } }],
  [false, 'to which there was no proposal', { offer: { indy: {} } }],
])('%s: an offer %s', (isProposed, _which, data) => {
  expect(proposesAllOf(data)).toBe(isProposed)
})

const asProposed = async () => true
const differs = async () => false
const unreadable = () => Promise.reject(new CredoError('the attachment is missing'))
const noJson = () => Promise.reject(new SyntaxError('the attachment is not JSON'))
const fault = () => Promise.reject(new TypeError('a fault of our own'))

/** Whether an offer is accepted without a call, and the result. */
const tryTo = (autoAcceptCredential: string | undefined, isAsProposed: () => Promise<boolean>, accept = asProposed) =>
  transaction(BASE_AGENT, async () => {
    const acceptance = new OfferAcceptance()
    const exchange = Object({ id: 'exchange', autoAcceptCredential })
    return [
      await acceptance.acceptIfAllowed(exchange, isAsProposed, Object(accept)),
      acceptance.resultOf(exchange) !== undefined,
    ]
  })

test.each<[string | undefined, () => Promise<boolean>, boolean]>([
  ['never', asProposed, false],
  ['always', fault, true],
  ['contentApproved', asProposed, true],
  [undefined, differs, false],
  [undefined, unreadable, false],
  [undefined, noJson, false],
])('by its setting %s and %o an offer is accepted: %s', async (setting, isAsProposed, isAccepted) => {
  expect(await tryTo(setting, isAsProposed)).toEqual([isAccepted, isAccepted])
})

test('an offer that cannot be accepted waits for a call, and other errors do not count as a difference', async () => {
  expect(await tryTo('always', asProposed, unreadable)).toEqual([false, false])
  await expect(tryTo(undefined, fault)).rejects.toThrow('a fault of our own')
})

test.each([
  ['AUTO_ACCEPT_OFFERS', true],
  ['AUTO_ACCEPT_PROOF_REQUESTS', false],
] as const)('by %s alone an offer that was not proposed is accepted: %s', async (name, isAccepted) => {
  const before = settings()[name]
  settings()[name] = true
  try {
    expect(await transaction(BASE_AGENT, autoAccept)).toEqual({ offers: isAccepted, proofRequests: !isAccepted })
    expect(await tryTo(undefined, differs)).toEqual([isAccepted, isAccepted])
    expect(await tryTo('never', differs)).toEqual([false, false])
  } finally {
    settings()[name] = before
  }
})
