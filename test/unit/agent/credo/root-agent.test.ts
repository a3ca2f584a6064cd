/** The start of a process's agent. */
import { expect, test } from 'vitest'
import { agentOf } from '../../../../lib/agent/credo/root-agent.ts'

test('a start that has failed is tried again by the next call, and not by one beside it', async () => {
  let starts = 0
  const start = agentOf({
    modules: () => {
      throw new Error(`start ${++starts}`)
    },
    configOf: () => {
      throw new Error('nobody asks for a tenant')
    },
  })
  const [first, beside] = [start(), start()]
  await expect(first).rejects.toThrow('start 1')
  await expect(beside).rejects.toThrow('start 1')
  await expect(start()).rejects.toThrow('start 2')
})
