/** Objects that an operator has to write to a ledger. */
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { ledgerObjectAddress, type RegistryKey, registryWriteAddress } from './keys.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { isoTime, json, text } from '../store/item-fields.ts'

const transaction = () => json(v.custom<JsonObject>(isObject))

/** `id`: of the waiting record. */
export const ledgerObjectItem = defineItem(
  'ledger-object',
  (key: { tenant: string; id: string }) => ledgerObjectAddress(key),
  { transaction: transaction() },
)

/**
 * The object that a revocation registry waits for: its definition, then its first entry, later one entry at a time,
 * because a ledger accepts entries only in order. It is added together with the job `registry-write`, which polls the
 * ledger.
 */
export const registryWriteItem = defineItem('registry-write', (key: RegistryKey) => registryWriteAddress(key), {
  /** Id of the registry's definition. */
  registryId: text(),
  transaction: transaction(),
  /** Time since which an operator can see it. */
  since: isoTime(),
})
export type RegistryWrite = Stored<typeof registryWriteItem>
