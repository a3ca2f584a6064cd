/** The start of a process's agent. */
import { type AgentConfig, InjectionSymbols, LogLevel } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { agentOf } from '../../../../lib/agent/credo/root-agent.ts'

const configOf = () => {
  throw new Error('nobody asks for a tenant')
}

test('a start that has failed is tried again by the next call, and not by one beside it', async () => {
  let starts = 0
  const start = agentOf({
    modules: () => {
      throw new Error(`start ${++starts}`)
    },
    configOf,
  })
  const [first, beside] = [start(), start()]
  await expect(first).rejects.toThrow('start 1')
  await expect(beside).rejects.toThrow('start 1')
  await expect(start()).rejects.toThrow('start 2')
})

test('Credo logs nothing, since it would log messages and keys, and fetches nothing by itself', async () => {
  const configs: AgentConfig[] = []
  const start = agentOf({
    modules: () => ({
      storage: { register: (services) => void services.registerInstance(InjectionSymbols.StorageService, {}) },
    }),
    configOf,
    prepare: ({ config }) => {
      configs.push(config)
      throw new Error('prepared')
    },
  })
  await expect(start()).rejects.toThrow('prepared')
  const [config] = configs
  expect(config?.logger.logLevel).toBe(LogLevel.off)
  await expect(config?.agentDependencies.fetch('http://127.0.0.1:1')).rejects.toThrow(
    'fetches only through the address guard',
  )
})
