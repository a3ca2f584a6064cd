/** The limits of pickup queues. */
import { expect, test } from 'vitest'
import { exceededLimit } from '../../../lib/pickup/bounds.ts'

const NOTHING = { messages: 0, bytes: 0 }
const ONE = { messages: 1, bytes: 2_000 }
const MIB = 1024 * 1024

test.each([
  ['an empty queue', { queue: NOTHING }, undefined],
  ['the thousandth message', { queue: { messages: 999, bytes: 0 } }, undefined],
  ['the one after it', { queue: { messages: 1_000, bytes: 0 } }, 'queue'],
  ['10 MiB', { queue: { messages: 9, bytes: 10 * MIB - 2_000 } }, undefined],
  ['more than 10 MiB', { queue: { messages: 9, bytes: 10 * MIB - 1_999 } }, 'queue'],
  ['a reply to the wallet, before 100 wait', { queue: { messages: 99, bytes: 0 }, answers: true }, undefined],
  ['a reply to the wallet, when 100 wait', { queue: { messages: 100, bytes: 0 }, answers: true }, 'queue'],
  ['a reply to the wallet, when 1 MiB waits', { queue: { messages: 1, bytes: MIB }, answers: true }, 'queue'],
  ['a share of the agent with space', { share: { messages: 6_249, bytes: 0 } }, undefined],
  ['a share of the agent that is full of messages', { share: { messages: 6_250, bytes: 0 } }, 'agent'],
  [
    'a reply to the wallet, in a share that is half full',
    { share: { messages: 3_125, bytes: 0 }, answers: true },
    'agent',
  ],
  ['one before that', { share: { messages: 3_124, bytes: 0 }, answers: true }, undefined],
  ['a reply in a share with half of the bytes', { share: { messages: 1, bytes: 32 * MIB }, answers: true }, 'agent'],
  ['a message of the agent itself, in such a share', { share: { messages: 3_125, bytes: 32 * MIB } }, undefined],
  ['a share of the agent that is full of bytes', { share: { messages: 1, bytes: 64 * MIB } }, 'agent'],
])('%s', (_, held, full) => {
  expect(exceededLimit(ONE, { queue: NOTHING, share: NOTHING, answers: false, ...held })).toBe(full)
})
