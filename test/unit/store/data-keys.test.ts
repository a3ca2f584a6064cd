/** Data keys of the local stage: one for each scope, always the same, without a request. */
import { expect, test, vi } from 'vitest'
import { requireDataKey } from '../../../lib/store/data-keys.ts'

const SCOPES = ['acme', 'other', '@base', '@org|acme', '']

/** The keys as a process with this sealing key makes them. */
const keysWith = async (sealingKey: string): Promise<string[]> => {
  vi.resetModules()
  vi.stubEnv('SEALING_KEY', sealingKey)
  const { requireDataKey: ofProcess } = await import('../../../lib/store/data-keys.ts')
  return Promise.all(SCOPES.map(async (scope) => Buffer.from(await ofProcess(scope)).toString('hex')))
}
const sealingKey = (byte: number) => Buffer.alloc(32, byte).toString('base64url')

test('should be 32 bytes, and another for each scope', async () => {
  const keys = await Promise.all(SCOPES.map(requireDataKey))
  for (const key of keys) expect(key).toHaveLength(32)
  expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(SCOPES.length)
})

test('should be the same in every process of a stage, and different in another stage', async () => {
  expect(await keysWith(sealingKey(1))).toEqual(await keysWith(sealingKey(1)))
  const [one, two] = [await keysWith(sealingKey(1)), await keysWith(sealingKey(2))]
  expect(new Set([...one, ...two]).size).toBe(2 * SCOPES.length)
})

test('should not be the sealing key itself', async () => {
  expect(await keysWith(sealingKey(1))).not.toContain(Buffer.alloc(32, 1).toString('hex'))
})

test('should be rejected with one line if the stage has neither key', async () => {
  vi.resetModules()
  vi.stubEnv('SEALING_KEY', undefined)
  const { requireDataKey: ofProcess } = await import('../../../lib/store/data-keys.ts')
  await expect(ofProcess('acme')).rejects.toMatchObject({
    code: 'settings.invalid',
    message: 'SEALING_KEY or KMS_KEY_ID is needed',
  })
})
