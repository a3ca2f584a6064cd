/** State of modules in a unit of work or an operation, under each module's own key. */
export type Slots = Map<symbol | object, unknown>

/** What a module has in its slot. The first use creates it with `init`. */
export const slotIn = <T>(slots: Slots, key: symbol | object, init: () => T): T => {
  if (!slots.has(key)) slots.set(key, init())
  return slots.get(key) as T
}
