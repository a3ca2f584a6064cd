/** How what belongs to an owner is found (`belongsTo`). */
import type { Owner } from '../records/owners.ts'

type Ways<Way> = Readonly<Record<string, (owner: Owner) => Way>>

/** The way to what belongs to owners of a type; `shared`: also to what others may use. Undefined if nothing does. */
export const wayFrom = <Way>(
  belongsTo: Ways<Way> | { shared: Ways<Way> } | string,
  ownerType: string,
  shared: boolean,
): ((owner: Owner) => Way) | undefined => {
  if (typeof belongsTo === 'string') return undefined
  const isShared = 'shared' in belongsTo && typeof belongsTo.shared === 'object'
  const ways = (isShared ? (shared ? belongsTo.shared : {}) : belongsTo) as Ways<Way>
  return ways[ownerType]
}
