/** How many documents are read for one request. */
import { expect, test, vi } from 'vitest'
import { readDocument } from '../../../../lib/agent/formats/json-ld/read-document.ts'
import { follow } from '../../../../lib/egress/follow.ts'

vi.mock('../../../../lib/egress/follow.ts', () => ({ follow: vi.fn(async () => ({ status: 200, body: '{}' })) }))

test('no more documents are read than the bounds allow', async () => {
  const bounds = { documents: 2, milliseconds: 1_000, bytes: 1_000 }
  const read: (string | undefined)[] = []
  for (const name of ['a', 'b', 'c']) read.push(await readDocument(`https://example.org/${name}`, bounds))
  expect(read).toEqual(['{}', '{}', undefined])
  expect(follow).toHaveBeenCalledTimes(2)
})
