/** Each operation has an example call: it follows from the contract, or stands in the table. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import type { Contract } from '../../../lib/interface/contract.ts'
import { exactly, text } from '../../../lib/interface/fields.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { EXAMPLES, exampleOf, makerOf } from '../../support/calls/all.ts'
import { exampleByContract } from '../../support/calls/by-contract.ts'
import { CallScene } from '../../support/calls/call-scene.ts'
import { Wallet } from '../../wallet/wallet.ts'

const operations = OPERATIONS.map(({ operationId }) => operationId)

test('every operation has an example call, by its contract or in test/support/calls', () => {
  expect(operations.filter((operationId) => makerOf(operationId) === undefined)).toEqual([])
  expect(Object.keys(EXAMPLES).filter((operationId) => !operations.includes(operationId))).toEqual([])
})

test.each<[string, boolean, Partial<Contract>]>([
  ['reads a record', true, { path: '/connections/{connectionId}/notes' }],
  ['reads a list', true, { path: '/notes', parameters: { query: v.object({ limit: v.optional(v.string()) }) } }],
  ['changes a record', true, { method: 'POST', path: '/connections/{connectionId}/archive', idempotent: true }],
  ['needs a text', true, { method: 'POST', path: '/oob/{outOfBandId}/note', body: exactly({ note: text(255) }) }],
  [
    'makes something of a text',
    true,
    { method: 'POST', path: '/notes', idempotent: true, body: exactly({ note: text(255) }) },
  ],
  [
    'needs more than texts',
    false,
    { method: 'POST', path: '/notes/{outOfBandId}', body: exactly({ pages: v.number() }) },
  ],
  ['has an unknown parameter', false, { path: '/notes/{noteId}' }],
  ['changes something without naming it', false, { method: 'POST', path: '/notes', idempotent: true }],
  ['is for callers without a token', false, { path: '/notes', security: 'none' }],
])('of a new operation that %s it follows from the contract: %s', (_, follows, more) => {
  const contract: Contract = {
    ...{ operationId: 'New', method: 'GET', path: '/', summary: 'New', security: 'token', responses: { 200: v.any() } },
    ...more,
  }
  expect(exampleByContract(contract) !== undefined).toBe(follows)
})

test('of one that has none, the suites say what to add', async () => {
  const wallet = await Wallet.start({ endpoint: false })
  const scene = new CallScene(async () => ({ status: 200, body: {} }), wallet, 'acme')
  await expect(exampleOf('GetNothing', scene)).rejects.toThrow(
    'GetNothing has no example call: add to the file of its subject in test/support/calls how to make a request that succeeds',
  )
  await wallet.stop()
})
