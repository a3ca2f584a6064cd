/** Which secrets of Credo's records are sealed before they reach the table. */
import { describe, expect, test } from 'vitest'
import { withSecretSealed, withSecretUnsealed } from '../../../lib/agent/credo/sealed-records.ts'
import { CREDENTIAL_REQUEST } from '../../../lib/records/record-json.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTable } from '../store/use-table.ts'

await useTable({ memory: true })

const SECRET = { p: 'a secret number' }

describe.each<[string, Record<string, unknown>]>([
  ['AnonCredsCredentialDefinitionPrivateRecord', { value: SECRET }],
  ['AnonCredsRevocationRegistryDefinitionPrivateRecord', { value: SECRET }],
  ['AnonCredsLinkSecretRecord', { value: SECRET.p }],
  ['CredentialRecord', { metadata: { [CREDENTIAL_REQUEST]: SECRET, other: 'shown' } }],
])('the secret of a %s', (type, value) => {
  const record = { tenant: 'acme', type, id: 'r', value: { id: 'r', ...value } }

  test('is sealed, and opens as it was', async () => {
    const sealed = await transaction('acme', () => withSecretSealed(record))
    expect(JSON.stringify(sealed)).not.toContain(SECRET.p)
    expect(await transaction('acme', () => withSecretUnsealed(sealed))).toEqual(record)
  })

  test('opens in its own record only', async () => {
    const sealed = await transaction('acme', () => withSecretSealed(record))
    await expect(transaction('acme', () => withSecretUnsealed({ ...sealed, id: 'another' }))).rejects.toThrow()
  })

  test('that does not open lets nothing be written, although the operation has swallowed it', async () => {
    const swallowed = transaction('acme', () => withSecretUnsealed(record).catch(() => undefined))
    await expect(swallowed).rejects.toMatchObject({ code: 'internal' })
  })
})

test('a record of a type that is not known to be public is not stored, and the unit of work does not commit', async () => {
  const record = { tenant: 'acme', type: 'AnonCredsTokenPrivateRecord', id: 'r', value: { id: 'r', value: SECRET } }
  const stored = transaction('acme', () => withSecretSealed(record).catch(() => undefined))
  await expect(stored).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining(record.type) })
})
