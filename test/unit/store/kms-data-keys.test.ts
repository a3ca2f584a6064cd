/** Data keys on AWS: made by KMS, kept sealed in the table with the transaction that first needs them. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { keyAddress } from '../../../lib/keys/key-item.ts'
import { dataKeyAddress } from '../../../lib/store/keys.ts'
import { toKey } from '../../../lib/store/table.ts'
import { stopAtEnd } from '../../support/stop-at-end.ts'
import { startKms } from '../../support/table/kms-server.ts'
import { useTable } from './use-table.ts'

const KEY_ID = 'alias/serverless-agent-test'

let scopes = 0
let scope: string

const kms = await stopAtEnd(startKms(KEY_ID))
vi.stubEnv('SEALING_KEY', undefined)
vi.stubEnv('KMS_KEY_ID', KEY_ID)
vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.url)
const table = await useTable({ check: false })
beforeEach(() => {
  scopes += 1
  scope = `tenant${scopes}`
  kms.calls.length = 0
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  kms.refuse(undefined)
  table.way = undefined
  vi.restoreAllMocks()
})

/** The service as a process that has just started has it: with nothing in memory. */
const newProcess = async () => {
  vi.resetModules()
  const { ensureDataKey, requireDataKey: openDataKey } = await import('../../../lib/store/data-keys.ts')
  const { transaction } = await import('../../../lib/store/transaction.ts')
  return {
    transaction,
    ensureDataKey,
    openDataKey,
    /** The key of this test's scope, in a separate transaction. */
    key: () => transaction(scope, (unit) => ensureDataKey(unit, scope)),
  }
}
const actions = () => kms.calls.map(({ action }) => action.replace('TrentService.', ''))
const stored = () => table.get(dataKeyAddress(scope))

describe('a data key', () => {
  test('should be made once, kept sealed, and opened by every other process', async () => {
    const [first, second] = [await newProcess(), await newProcess()]
    const key = await first.key()
    expect(key).toHaveLength(32)
    expect(await second.key()).toEqual(key)
    expect(actions()).toEqual(['GenerateDataKey', 'Decrypt'])
    const sealed = Buffer.from((await stored())?.sealed?.B ?? [])
    expect(sealed.length).toBeGreaterThan(32)
    expect(sealed.includes(Buffer.from(key))).toBe(false)
    expect(await table.check()).toEqual([])
  })

  test('should be remembered: neither KMS nor the table is asked again', async () => {
    const process = await newProcess()
    const key = await process.key()
    kms.calls.length = 0
    kms.refuse({ status: 500, type: 'KMSInternalException' })
    expect(await process.key()).toEqual(key)
    expect(kms.calls).toEqual([])
  })

  test('should be remembered without the buffer that the SDK has read it into', async () => {
    const [first, second] = [await newProcess(), await newProcess()]
    const keys = [await first.key(), await second.key()]
    expect(actions()).toEqual(['GenerateDataKey', 'Decrypt'])
    expect(keys.map(({ buffer }) => buffer.byteLength)).toEqual([32, 32])
  })

  test('should be the same for all that one transaction seals', async () => {
    const process = await newProcess()
    const keys = await process.transaction(scope, async (unit) => [
      await process.ensureDataKey(unit, scope),
      ...(await Promise.all([process.ensureDataKey(unit, scope), process.ensureDataKey(unit, scope)])),
    ])
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
    expect(actions()).toEqual(['GenerateDataKey'])
    expect(await (await newProcess()).key()).toEqual(keys[0])
  })

  test('should be bound to its scope: it opens for no other', async () => {
    await (await newProcess()).key()
    expect(kms.calls[0]?.request.EncryptionContext).toEqual({ scope })
    const theirs = await stored()
    scope = 'thief'
    await table.put({ ...theirs, ...toKey(dataKeyAddress(scope)) })
    await expect((await newProcess()).key()).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
  })

  test('should be the only one if two processes create it concurrently, and seal for both', async () => {
    const processes = [await newProcess(), await newProcess(), await newProcess()]
    const keys = await Promise.all(processes.map((process) => process.key()))
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
    expect(await table.items(`${scope}|`)).toHaveLength(1)
    expect(await (await newProcess()).key()).toEqual(keys[0])
  })

  test('should neither stay nor be remembered where its transaction fails', async () => {
    const process = await newProcess()
    const failing = process.transaction(scope, async (unit) => {
      await process.ensureDataKey(unit, scope)
      throw new Error('changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    expect(await stored()).toBeUndefined()
    const key = await process.key()
    expect(actions()).toEqual(['GenerateDataKey', 'GenerateDataKey'])
    expect(await (await newProcess()).key()).toEqual(key)
  })
})

describe('opening', () => {
  test('should find a created key, and call KMS once for concurrent reads', async () => {
    const key = await (await newProcess()).key()
    kms.calls.length = 0
    const process = await newProcess()
    expect(await Promise.all([1, 2, 3].map(() => process.openDataKey(scope)))).toEqual([key, key, key])
    expect(await process.openDataKey(scope)).toEqual(key)
    expect(actions()).toEqual(['Decrypt'])
  })

  test('should create no key if there is none, and find one that is created later', async () => {
    const process = await newProcess()
    await expect(process.openDataKey(scope)).rejects.toMatchObject({ code: 'internal' })
    expect(kms.calls).toEqual([])
    expect(await stored()).toBeUndefined()
    const key = await (await newProcess()).key()
    expect(await process.openDataKey(scope)).toEqual(key)
  })
})

describe('a KMS', () => {
  const KEY = { ...toKey(keyAddress('acme', 'k1')), kind: { S: 'key' } }

  test.each([
    { status: 500, type: 'KMSInternalException' },
    { status: 500, type: 'DependencyTimeoutException' },
    { status: 500, type: 'KeyUnavailableException' },
    { status: 400, type: 'ThrottlingException' },
  ])('that fails with $type should be store.unavailable, and nothing be written', async (refusal) => {
    const process = await newProcess()
    kms.refuse(refusal)
    const writing = process.transaction(scope, async (unit) => {
      unit.create(KEY)
      await process.ensureDataKey(unit, scope).catch(() => {})
    })
    await expect(writing).rejects.toMatchObject({ code: 'store.unavailable' })
    expect(kms.calls).toHaveLength(3)
    expect(await table.get(keyAddress('acme', 'k1'))).toBeUndefined()
    expect(await stored()).toBeUndefined()
    kms.refuse(undefined)
    expect(await process.key()).toHaveLength(32)
  })

  test('that fails is counted, whatever LOG_LEVEL says; a key that is not stored is not', async () => {
    const lines: Record<string, unknown>[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
    vi.stubEnv('LOG_LEVEL', 'error')
    const process = await newProcess()
    await expect(process.openDataKey(scope)).rejects.toMatchObject({ code: 'internal' })
    kms.refuse({ status: 400, type: 'AccessDeniedException' })
    await expect(process.key()).rejects.toThrow()
    kms.refuse(undefined)
    await process.key()
    expect(lines).toMatchObject([{ event: 'kms.failed', error: 'AccessDeniedException', KmsFaults: 1 }])
    vi.stubEnv('LOG_LEVEL', 'silent')
  })

  test.each(['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException', 'NotFoundException'])(
    'that refuses with %s, which an operator may mend, should be store.unavailable at once',
    async (type) => {
      kms.refuse({ status: 400, type })
      await expect((await newProcess()).key()).rejects.toMatchObject({ code: 'store.unavailable' })
      expect(kms.calls).toHaveLength(1)
    },
  )

  test('with InvalidCiphertextException should be thrown unchanged', async () => {
    await (await newProcess()).key()
    kms.refuse({ status: 400, type: 'InvalidCiphertextException' })
    await expect((await newProcess()).key()).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
  })

  test('that does not open a key that is there should be store.unavailable, and not make another', async () => {
    await (await newProcess()).key()
    const before = await stored()
    kms.calls.length = 0
    kms.refuse({ status: 500, type: 'KMSInternalException' })
    await expect((await newProcess()).key()).rejects.toMatchObject({ code: 'store.unavailable' })
    expect(actions()).not.toContain('GenerateDataKey')
    expect(await stored()).toEqual(before)
  })

  test('is waited for 2 s, three times', async () => {
    await (await newProcess()).key()
    const { config } = (await import('../../../lib/store/kms-client.ts')).kms()
    expect(await config.maxAttempts()).toBe(3)
    const requestHandler = config.requestHandler as unknown as { httpHandlerConfigs(): object }
    expect(requestHandler.httpHandlerConfigs()).toMatchObject({
      ...{ connectionTimeout: 1_000, requestTimeout: 2_000, socketTimeout: 2_000, throwOnRequestTimeout: true },
    })
  })

  test('that is not there should be store.unavailable', async () => {
    await kms.stop()
    await expect((await newProcess()).key()).rejects.toMatchObject({ code: 'store.unavailable' })
  })
})
