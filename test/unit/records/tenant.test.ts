/** Ids in paths. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { EntityId } from '../../../lib/records/tenant.ts'

test.each(['.', '..'])('%s is not an id, because clients remove it from paths', (id) => {
  expect(new URL(`/webhooks/orgs/${id}/register`, 'https://agent.example').pathname).not.toContain(id)
  expect(v.is(EntityId, id)).toBe(false)
})

test.each(['', 'a b', 'a/b', 'a\\b', 'a\0b', 'a\r\nb', 'a\n', 'é', 'a|b', '@base', 'x'.repeat(65)])(
  '%j is no id',
  (id) => {
    expect(v.is(EntityId, id)).toBe(false)
  },
)

test.each(['...', '.a', 'a.', 'x'.repeat(64)])('%s is an id', (id) => {
  expect(v.is(EntityId, id)).toBe(true)
})
