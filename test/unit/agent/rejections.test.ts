/** Envelopes that are rejected are counted, and nothing else that fails. */
import { expect, test } from 'vitest'
import { cannotHandleError } from '../../../lib/agent/envelopes/envelope.ts'
import { logRejections } from '../../../lib/agent/inbound/receive.ts'
import { AgentError } from '../../../lib/errors.ts'
import { useLogLines } from '../../support/watch/log-lines.ts'

Object.assign(process.env, { TABLE_NAME: 'agent', PUBLIC_URL: 'http://localhost:3000' })
const lines = useLogLines()

const rejectWith = (error: Error) => logRejections('acme', () => Promise.reject(error))

test('a rejection is logged with its cause', async () => {
  const cause = new RangeError('too deep')
  await expect(rejectWith(cannotHandleError(cause))).rejects.toMatchObject({ code: 'request.malformed' })
  await expect(rejectWith(cannotHandleError())).rejects.toMatchObject({ code: 'request.malformed' })
  expect(lines).toMatchObject([
    { event: 'inbound.refused', tenant: 'acme', error: 'RangeError' },
    { event: 'inbound.refused', tenant: 'acme', error: 'request.malformed' },
  ])
  expect(JSON.stringify(lines)).not.toContain('too deep')
})

test('a response, an outage and an unknown tenant are not rejections', async () => {
  expect(await logRejections('acme', async () => 'answer')).toBe('answer')
  await expect(rejectWith(new AgentError('store.unavailable', 'down'))).rejects.toThrow('down')
  await expect(rejectWith(new AgentError('resource.not_found', 'none'))).rejects.toThrow('none')
  expect(lines).toEqual([])
})
