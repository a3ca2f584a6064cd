/** What an operator is to write to a ledger, until the ledger has it. */
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { ledgerObjectAddress } from './anoncreds-keys.ts'
import { defineItem } from './item.ts'
import { json } from './item-fields.ts'

/** `id`: of the record that waits for it. */
export const ledgerObjectItem = defineItem(
  'ledger-object',
  (key: { tenant: string; id: string }) => ledgerObjectAddress(key),
  {
    transaction: json(v.custom<JsonObject>(isObject)),
  },
)
