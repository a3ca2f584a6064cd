/** The messages between the stage and the process of the functions. */
import * as v from 'valibot'

/** The first message of the stage. */
export const Start = v.object({
  /** Folder of serverless.yml. */
  folder: v.string(),
  /** Handlers, as in serverless.yml, by function key. */
  handlers: v.record(v.string(), v.string()),
  /** Their permissions, as in serverless.yml, by function key. */
  permissions: v.record(v.string(), v.array(v.string())),
  /** Logical ids by the names and URLs with which functions address tables, queues and keys. */
  resources: v.record(v.string(), v.string()),
})
export type Start = v.InferOutput<typeof Start>

/** The first message of the process. `problem`: why a function could not be loaded. */
export const Loaded = v.object({ problem: v.exactOptional(v.string()) })
export type Loaded = v.InferOutput<typeof Loaded>

export const Invocation = v.object({
  id: v.number(),
  functionKey: v.string(),
  /** JSON. */
  event: v.string(),
  /** Timeout of the function in ms. */
  timeoutMs: v.number(),
})
export type Invocation = v.InferOutput<typeof Invocation>

/** What an invocation came to: its result, or an error if the function threw or took too long. */
export const Outcome = v.object({
  id: v.number(),
  /** JSON, without `body`; undefined if the function gave no result. */
  result: v.optional(v.string()),
  /**
   * Body of an HTTP response. It is apart, because encoding the 250 KB of the OpenAPI document once more takes long.
   */
  body: v.exactOptional(v.string()),
  error: v.exactOptional(v.object({ name: v.string(), message: v.string() })),
})
export type Outcome = v.InferOutput<typeof Outcome>

const WithBody = v.looseObject({ body: v.string() })

export const toOutcome = (id: number, result: unknown): Outcome => {
  if (!v.is(WithBody, result)) return { id, result: JSON.stringify(result) }
  const { body, ...others } = result
  return { id, result: JSON.stringify(others), body }
}

/** The result of an outcome without an error. */
export const resultOf = ({ result, body }: Outcome): unknown => {
  const parsed = result === undefined ? undefined : JSON.parse(result)
  return body === undefined ? parsed : { ...parsed, body }
}
