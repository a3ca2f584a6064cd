/** Checks of a whole object that report each invalid field with its path. */
import * as v from 'valibot'

export interface Violation {
  /** Names and indexes from the object to the field. */
  path: readonly (string | number)[]
  message: string
}

/** A valibot check with an issue for each violation. It runs if the object matches its schema. */
export const noViolations = <T extends object>(violationsOf: (value: T) => readonly Violation[]): v.RawCheckAction<T> =>
  v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    for (const violation of violationsOf(dataset.value)) addIssue(issueOf(dataset.value, violation))
  })

/** The violation as an issue of valibot. */
export const issueOf = (root: object, { path, message }: Violation) => {
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
