/** The response to an inbound message takes one message; Credo sends a second one by the outbox. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { ReturnRouteSession } from '../../../../lib/agent/transport/index.ts'

const context = {} as AgentContext
const packed = (ciphertext: string) => ({ protected: '', iv: '', tag: '', ciphertext })

test('a second answer does not replace the first', async () => {
  const session = new ReturnRouteSession()
  await session.send(context, packed('first'))
  await expect(session.send(context, packed('second'))).rejects.toThrow(CredoError)
  expect(session.answer).toEqual(packed('first'))
})
