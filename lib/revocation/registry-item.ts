/** Revocation registries of a credential definition, and their used indexes. */
import { type RegistryKey, registryAddress } from '../store/anoncreds-keys.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'

export type { RegistryKey } from '../store/anoncreds-keys.ts'

export const registryItem = defineItem('revocation-registry', (key: RegistryKey) => registryAddress(key), {
  number: integer(),
  /** Id of the registry's definition. */
  registryId: text(),
  /** `maxCredNum`. Its indexes are 1 to this number less one, because no library in use accepts the last one. */
  size: integer(),
  /** The last used index; 0 if there is none. */
  taken: integer(),
})
export type Registry = Stored<typeof registryItem>

/** Share of used indexes at which the next registry is created. */
const REPLACED_AT = 0.8

export const lastIndex = ({ size }: Pick<Registry, 'size'>): number => size - 1

/** Whether to create the next registry. */
export const isNearlyFull = ({ size, taken }: Pick<Registry, 'size' | 'taken'>): boolean =>
  taken >= Math.floor(lastIndex({ size }) * REPLACED_AT)
