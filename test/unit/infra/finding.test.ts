/** What an operator reads of findings. */
import { expect, test } from 'vitest'
import { findingsOf, onceEach } from '../../../infra/deployment/finding.ts'

test('the same is said once, unless it is worse', () => {
  const [first, address] = [findingsOf('settings').warning('PUBLIC_URL: a local name'), findingsOf('address')]
  const [worse, fine] = [address.fault('a local name'), [...findingsOf('a').ok('fine'), ...findingsOf('b').ok('fine')]]
  const all = [...first, ...address.warning('a local name'), ...worse, ...fine]
  expect(onceEach(all)).toEqual([...first, ...worse, ...fine])
})
