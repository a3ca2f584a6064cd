/** The sealing key: an alarm is raised before it is deleted, although nothing fails yet. */
import { beforeEach, expect, test, vi } from 'vitest'
import { stopAtEnd } from '../../support/stop-at-end.ts'
import { startKms } from '../../support/table/kms-server.ts'

const KEY_ID = 'alias/serverless-agent-test'
const kms = await stopAtEnd(startKms(KEY_ID))
const ON_AWS = { KMS_KEY_ID: KEY_ID, AWS_ENDPOINT_URL_KMS: kms.url, AWS_REGION: 'eu-west-1', LOG_LEVEL: 'info' }
const SERVICE = {
  TABLE_NAME: 'agent',
  PUBLIC_URL: 'http://localhost:3000',
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 's',
}
Object.assign(process.env, SERVICE, ON_AWS)

const lines: Record<string, unknown>[] = []
beforeEach(() => {
  lines.length = 0
  kms.calls.length = 0
  kms.metadata.KeyState = 'Enabled'
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
})

const check = async (SEALING_KEY?: string) => {
  vi.resetModules()
  vi.stubEnv('SEALING_KEY', SEALING_KEY)
  const { checkSealingKey } = await import('../../../lib/store/sealing-key.ts')
  await checkSealingKey()
}

test('of a key that can be used nothing is said', async () => {
  await check()
  expect(kms.calls).toMatchObject([{ action: 'TrentService.DescribeKey', request: { KeyId: KEY_ID } }])
  expect(lines).toEqual([])
})

test.each(['PendingDeletion', 'Disabled', 'Unavailable'])('a key in state %s is an alarm', async (KeyState) => {
  Object.assign(kms.metadata, { KeyState, DeletionDate: 1_800_000_000 })
  await check()
  expect(lines).toMatchObject([
    {
      event: 'kms.key_unusable',
      state: KeyState,
      deletion: '2027-01-15T08:00:00.000Z',
      alarm: 'FaultsAlarm',
      weight: 100_000_000,
    },
  ])
})

test('a failed request to KMS is an error of the sweep', async () => {
  kms.refuse({ status: 400, type: 'AccessDeniedException' })
  await expect(check()).rejects.toThrow()
  kms.refuse(undefined)
})

test('the local stage has no KMS to ask', async () => {
  await check('A'.repeat(43))
  expect(kms.calls).toEqual([])
})
