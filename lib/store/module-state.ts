/** State of modules for the lifetime of a unit of work or an operation, each under the module's own key. */
export type ModuleStates = Map<symbol | object, unknown>

/** The state of a module. The first use creates it with `init`. */
export const stateOf = <T>(states: ModuleStates, key: symbol | object, init: () => T): T => {
  if (!states.has(key)) states.set(key, init())
  return states.get(key) as T
}
