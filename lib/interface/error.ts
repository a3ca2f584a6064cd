/** The body of every error, whatever the operation. */
import * as v from 'valibot'

export const ErrorBody = v.strictObject({
  statusCode: v.number(),
  /** The HTTP reason phrase. */
  error: v.string(),
  message: v.optional(v.string()),
  /** Every failing field of a request, with its dotted path. */
  details: v.optional(v.array(v.strictObject({ path: v.string(), message: v.string() }))),
})

export type ErrorBody = v.InferOutput<typeof ErrorBody>
