/** What an operator is to write to a ledger, until the ledger has it. */
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { ledgerObjectAddress, type RegistryKey, registryWriteAddress } from './anoncreds-keys.ts'
import { defineItem, type Stored } from './item.ts'
import { isoTime, json, text } from './item-fields.ts'

const transaction = () => json(v.custom<JsonObject>(isObject))

/** `id`: of the record that waits for it. */
export const ledgerObjectItem = defineItem(
  'ledger-object',
  (key: { tenant: string; id: string }) => ledgerObjectAddress(key),
  { transaction: transaction() },
)

/**
 * What a revocation registry waits for: its definition, then its first entry, later one entry at a time, because a ledger takes an entry
 * only on top of the one before. Whoever adds it adds the job `registry-write`, which looks for it on the ledger.
 */
export const registryWriteItem = defineItem('registry-write', (key: RegistryKey) => registryWriteAddress(key), {
  /** Id of the registry's definition. */
  registryId: text(),
  transaction: transaction(),
  /** When an operator could first see it. */
  since: isoTime(),
})
export type RegistryWrite = Stored<typeof registryWriteItem>
