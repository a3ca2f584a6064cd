/** What the stage and the process of the functions say to each other. */
import * as v from 'valibot'

/** The first message of the stage. */
export const Start = v.object({
  /** Folder of serverless.yml. */
  folder: v.string(),
  /** Handlers as serverless.yml names them, by the keys of their functions. */
  handlers: v.record(v.string(), v.string()),
  /** Logical ids by the names that functions call tables, queues and keys by. */
  resources: v.record(v.string(), v.string()),
})
export type Start = v.InferOutput<typeof Start>

/** The first message of the process: every function is loaded, or why one is not. */
export const Loaded = v.object({ problem: v.exactOptional(v.string()) })
export type Loaded = v.InferOutput<typeof Loaded>

export const Invocation = v.object({
  id: v.number(),
  functionKey: v.string(),
  /** JSON. */
  event: v.string(),
  /** How long the function may take, in ms. */
  timeoutMs: v.number(),
})
export type Invocation = v.InferOutput<typeof Invocation>

/** What an invocation has come to: the answer, unless the function threw or took too long. */
export const Outcome = v.object({
  id: v.number(),
  /** JSON, without `body`; undefined where the function gave no answer. */
  answer: v.optional(v.string()),
  /** Of an answer to HTTP. Within the JSON, the 250 KB of the OpenAPI document would take longer than all else about them. */
  body: v.exactOptional(v.string()),
  error: v.exactOptional(v.object({ name: v.string(), message: v.string() })),
})
export type Outcome = v.InferOutput<typeof Outcome>

const WithBody = v.looseObject({ body: v.string() })

export const toOutcome = (id: number, answer: unknown): Outcome => {
  if (!v.is(WithBody, answer)) return { id, answer: JSON.stringify(answer) }
  const { body, ...others } = answer
  return { id, answer: JSON.stringify(others), body }
}

/** The answer of an outcome that is no error. */
export const answerOf = ({ answer, body }: Outcome): unknown => {
  const parsed = answer === undefined ? undefined : JSON.parse(answer)
  return body === undefined ? parsed : { ...parsed, body }
}
