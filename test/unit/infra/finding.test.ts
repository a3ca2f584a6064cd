/** What an operator reads of findings. */
import { expect, test } from 'vitest'
import { fault, ok, onceEach, warning } from '../../../infra/deployment/finding.ts'

test('the same is said once, unless it is worse', () => {
  const [first, worse] = [warning('settings', 'PUBLIC_URL: a local name'), fault('address', 'a local name')]
  const all = [first, warning('address', 'a local name'), worse, ok('a', 'fine'), ok('b', 'fine')]
  expect(onceEach(all)).toEqual([first, worse, ok('a', 'fine'), ok('b', 'fine')])
})
