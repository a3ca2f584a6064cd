/** Validates input: returns the typed value, or throws an error that names every failing field. */
import * as v from 'valibot'
import { AgentError, type FieldIssue } from '../errors.ts'
import type { Schema } from '../interface/contract.ts'

/** Describes an issue to the caller. valibot's own text repeats the input, of any length. */
const explain = (issue: v.BaseIssue<unknown>): string => {
  const { kind, type, expected } = issue
  if (expected === 'never') return 'is not a known field'
  if (kind === 'schema' && issue.received === 'undefined') return 'is required'
  if (expected === 'Object' || expected === 'Array') return `must be an ${expected.toLowerCase()}`
  if (type === 'min_length' || type === 'max_length') return `must have a length of ${expected}`
  if (type === 'integer') return 'must be a whole number'
  return expected === null ? 'is not valid' : `must be ${expected}`
}

const MAX_PATH = 200

/** The issues of a union's best matching branch, because a union reports only itself. */
const leaves = (issue: v.BaseIssue<unknown>): { path: (string | number)[]; message: string }[] => {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))
  const inner = (issue.issues ?? []).flatMap(leaves)
  const depth = inner.reduce((deepest, leaf) => Math.max(deepest, leaf.path.length), 0)
  if (depth === 0) return [{ path, message: issue.message }]
  return inner
    .filter((leaf) => leaf.path.length > 0)
    .map((leaf) => ({ path: [...path, ...leaf.path], message: leaf.message }))
}

/** Every failing field, with its dotted path. */
export const toFieldIssues = (issues: readonly v.BaseIssue<unknown>[]): FieldIssue[] =>
  issues.flatMap(leaves).map(({ path, message }) => ({ path: path.join('.').slice(0, MAX_PATH), message }))

/** Throws `request.malformed` (path and query) or `request.invalid` (body). */
export const validate = <S extends Schema>(
  schema: S,
  input: unknown,
  code: 'request.malformed' | 'request.invalid',
  message: string,
): v.InferOutput<S> => {
  const result = v.safeParse(schema, input, { message: explain })
  if (result.success) return result.output
  throw new AgentError(code, message, { details: toFieldIssues(result.issues) })
}
