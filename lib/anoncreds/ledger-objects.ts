/** Objects that an operator must write to a ledger. */
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { isoTime, json, text } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'

const transaction = () => json(v.custom<JsonObject>(isObject))

/** `id`: of the waiting record. */
export const ledgerObjectItem = defineItem(
  'ledger-object',
  ({ tenant, id }: { tenant: string; id: string }) => address(`${tenant}|ledger-object|${id}`),
  { transaction: transaction() },
  { CredentialDefinitionRecord: ({ tenant, id }) => [`${tenant}|ledger-object|${id}`] },
)

export interface RegistryKey {
  tenant: string
  credentialDefinitionId: string
  /** Number of the registry within its definition, from 1. */
  number: number
}

/** Sort keys of a definition's registries. */
export const registrySortKey = (number: number): string => String(number).padStart(8, '0')

/** The objects of a definition's registries, by number. */
export const registryWritePartition = (tenant: string, credentialDefinitionId: string): string =>
  `${tenant}|ledger-object|${digest(credentialDefinitionId)}`

/**
 * The next object of a revocation registry that must be on the ledger: its definition, then one entry at a time,
 * because a ledger accepts entries only in order. It is added together with the job `registry-write`, which polls the
 * ledger.
 */
export const registryWriteItem = defineItem(
  'registry-write',
  ({ tenant, credentialDefinitionId, number }: RegistryKey) =>
    address(registryWritePartition(tenant, credentialDefinitionId), registrySortKey(number)),
  {
    /** Id of the registry's definition. */
    registryId: text(),
    transaction: transaction(),
    /** Time since which an operator can see it. */
    since: isoTime(),
  },
  {
    CredentialDefinitionRecord: ({ tenant, value }) => [
      registryWritePartition(tenant, String(value.credentialDefinitionId)),
    ],
  },
)
export type RegistryWrite = Stored<typeof registryWriteItem>
