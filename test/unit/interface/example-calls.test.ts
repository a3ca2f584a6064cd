/** The table of example calls has an entry for each operation, and for nothing else. */
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { EXAMPLES, exampleOf } from '../../support/calls/all.ts'
import { CallScene } from '../../support/calls/call-scene.ts'
import { Wallet } from '../../wallet/wallet.ts'

test('every operation has an example call in test/support/calls', () => {
  const operations = OPERATIONS.map(({ operationId }) => operationId)
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(operations.toSorted())
})

test('of one that has none, the suites say what to add', async () => {
  const wallet = await Wallet.start({ endpoint: false })
  const scene = new CallScene(async () => ({ status: 200, body: {} }), wallet, 'acme')
  await expect(exampleOf('GetNothing', scene)).rejects.toThrow(
    'GetNothing has no example call: add to the file of its subject in test/support/calls how to make a request that succeeds',
  )
  await wallet.stop()
})
