/** The revocation registries of a credential definition, and how many of their indexes are taken. */
import { type RegistryKey, registryAddress } from '../store/anoncreds-keys.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'

export type { RegistryKey } from '../store/anoncreds-keys.ts'

export const registryItem = defineItem('revocation-registry', (key: RegistryKey) => registryAddress(key), {
  number: integer(),
  /** Id of the registry's definition. */
  registryId: text(),
  /** `maxCredNum`. Its indexes are 1 to this number less one: none of the libraries in use takes the last one. */
  size: integer(),
  /** The index that was taken last; 0: none yet. */
  taken: integer(),
})
export type Registry = Stored<typeof registryItem>

/** The part of the indexes after which the next registry is made. */
const REPLACED_AT = 0.8

export const lastIndex = ({ size }: Pick<Registry, 'size'>): number => size - 1

/** Whether it is time to make the next registry. */
export const isNearlyFull = ({ size, taken }: Pick<Registry, 'size' | 'taken'>): boolean =>
  taken >= Math.floor(lastIndex({ size }) * REPLACED_AT)
