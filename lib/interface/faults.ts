/** Checks of a whole object that report each invalid field with its path. */
import * as v from 'valibot'

export interface Fault {
  /** Names and indexes from the object to the field. */
  path: readonly (string | number)[]
  message: string
}

/** A valibot check with an issue for each fault. It runs if the object matches its schema. */
export const noFaults = <T extends object>(faultsOf: (value: T) => readonly Fault[]): v.RawCheckAction<T> =>
  v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    for (const { path, message } of faultsOf(dataset.value)) {
      const [first, ...others] = itemsOf(dataset.value, path)
      addIssue(first === undefined ? { message } : { message, path: [first, ...others] })
    }
  })

const itemsOf = (root: object, path: Fault['path']): v.IssuePathItem[] => {
  let input: unknown = root
  return path.map((key) => {
    const item = { type: 'unknown', origin: 'value', input, key, value: memberOf(input, key) } as const
    input = item.value
    return item
  })
}

const memberOf = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
