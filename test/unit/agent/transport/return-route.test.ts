/** The response to an inbound message takes one message; Credo sends a second one by the outbox. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { ReturnRouteSession, UnitOfWorkSessions } from '../../../../lib/agent/transport/index.ts'
import { transaction } from '../../../../lib/store/transaction.ts'

const context = {} as AgentContext
const packed = (ciphertext: string) => ({ protected: '', iv: '', tag: '', ciphertext })

test('a second answer does not replace the first', async () => {
  const session = new ReturnRouteSession()
  await session.send(context, packed('first'))
  await expect(session.send(context, packed('second'))).rejects.toThrow(CredoError)
  expect(session.reply).toEqual(packed('first'))
})

test('a session is found by its id, and by its connection once that is known, in its unit of work only', async () => {
  const sessions = new UnitOfWorkSessions()
  const session = new ReturnRouteSession()
  await transaction('acme', async () => {
    sessions.saveSession(session)
    expect(sessions.findSessionByConnectionId('c')).toBeUndefined()
    sessions.setConnectionIdForSession(session.id, 'c')
    expect(sessions.findSessionByConnectionId('c')).toBe(session)
    expect(sessions.findSessionById(session.id)).toBe(session)
    for (const other of [sessions.findSessionById('c'), sessions.findSessionByConnectionId(session.id)])
      expect(other).toBeUndefined()
    sessions.removeSession()
    expect(sessions.findSessionById(session.id)).toBeUndefined()
    sessions.saveSession(session)
  })
  await transaction('acme', async () => expect(sessions.findSessionById(session.id)).toBeUndefined())
})
