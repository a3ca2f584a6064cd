/** A wallet at the terminal posts an envelope again where the agent asks it to wait. */
import type { DidCommEncryptedMessage } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { type Answer, MAX_POSTS, patient } from '../../wallet/post.ts'

const WAIT: Answer = { status: 503, body: '', retryAfter: '0.001' }
const REFUSED: Answer = { status: 400, body: '' }
const TAKEN: Answer = { status: 200, body: 'answer' }

test.each<[string, Answer[], Answer, number]>([
  ['until it is taken', [WAIT, WAIT, TAKEN], TAKEN, 3],
  ['not where it is refused', [REFUSED, TAKEN], REFUSED, 1],
  ['not for ever', [...Array<Answer>(MAX_POSTS).fill(WAIT), TAKEN], WAIT, MAX_POSTS],
])('%s', async (_, answers, expected, times) => {
  let posted = 0
  const post = patient(async () => answers[posted++] ?? REFUSED)
  const envelope = {} as DidCommEncryptedMessage
  expect(await post('https://agent.example', envelope, new AbortController().signal)).toEqual(expected)
  expect(posted).toBe(times)
})
