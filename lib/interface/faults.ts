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
    for (const fault of faultsOf(dataset.value)) addIssue(issueOf(dataset.value, fault))
  })

/** The fault as an issue of valibot. */
export const issueOf = (root: object, { path, message }: Fault) => {
  let input: unknown = root
  const [first, ...others] = path.map((key) => {
    const item = { type: 'unknown', origin: 'value', input, key, value: memberOf(input, key) } as const
    input = item.value
    return item
  })
  const items: [v.IssuePathItem, ...v.IssuePathItem[]] | undefined = first && [first, ...others]
  return items === undefined ? { message } : { message, path: items }
}

const memberOf = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
