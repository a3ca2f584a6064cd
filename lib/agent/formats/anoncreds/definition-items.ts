/** The items of credential definitions beside their records. */
import type { StoredCredentialDefinition } from '../../../records/credential-definition.ts'
import { defineItem } from '../../../store/item.ts'
import { inKey, text } from '../../../store/item-fields.ts'
import { type Address, address, digest } from '../../../store/keys.ts'

/** The key by which a definition is unique. */
export type DefinitionKey = Pick<StoredCredentialDefinition, 'issuerId' | 'schemaId' | 'tag'>

const addressAt = (tenant: string, { issuerId, schemaId, tag }: Record<keyof DefinitionKey, unknown>): Address =>
  address(`${tenant}|definition|${digest(JSON.stringify([issuerId, schemaId, tag]))}`)

/** A pointer from the key to the record. */
export const definitionKeyItem = defineItem(
  'definition-place',
  ({ tenant, ...key }: DefinitionKey & { tenant: string }) => addressAt(tenant, key),
  { record: text() },
  {
    CredentialDefinitionRecord: ({ tenant, value: { issuerId, schemaId, tag } }) => [
      addressAt(tenant, { issuerId, schemaId, tag }).pk,
    ],
  },
)

/** One for each definition whose keys are generated at the same time. */
export const slotItem = defineItem(
  'definition-slot',
  ({ tenant, slot }: { tenant: string; slot: string }) => address(`${tenant}|definition-slot`, slot),
  {
    slot: inKey('sk', text()),
    /** Of the definition's record. */
    id: text(),
  },
  { tenant: ({ tenant }) => [`${tenant}|definition-slot`] },
)
