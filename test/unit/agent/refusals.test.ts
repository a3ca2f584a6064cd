/** Envelopes that are refused are counted, and nothing else that fails. */
import { expect, test } from 'vitest'
import { cannotHandle } from '../../../lib/agent/envelopes/envelope.ts'
import { logRejections } from '../../../lib/agent/inbound/receive.ts'
import { AgentError } from '../../../lib/errors.ts'
import { useLogLines } from '../../support/watch/log-lines.ts'

Object.assign(process.env, { TABLE_NAME: 'agent', PUBLIC_URL: 'http://localhost:3000' })
const lines = useLogLines()

const refused = (error: Error) => logRejections('acme', () => Promise.reject(error))

test('a refusal is logged with what caused it', async () => {
  const cause = new RangeError('too deep')
  await expect(refused(cannotHandle(cause))).rejects.toMatchObject({ code: 'request.malformed' })
  await expect(refused(cannotHandle())).rejects.toMatchObject({ code: 'request.malformed' })
  expect(lines).toMatchObject([
    { event: 'inbound.refused', tenant: 'acme', error: 'RangeError' },
    { event: 'inbound.refused', tenant: 'acme', error: 'request.malformed' },
  ])
  expect(JSON.stringify(lines)).not.toContain('too deep')
})

test('an answer, an outage and a tenant that is not there are no refusals', async () => {
  expect(await logRejections('acme', async () => 'answer')).toBe('answer')
  await expect(refused(new AgentError('store.unavailable', 'down'))).rejects.toThrow('down')
  await expect(refused(new AgentError('resource.not_found', 'none'))).rejects.toThrow('none')
  expect(lines).toEqual([])
})
