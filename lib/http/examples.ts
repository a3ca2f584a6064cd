/** Examples of the OpenAPI document: real requests and answers, written into docs/examples by the api tests. */

interface Example {
  /** Body of the request, where there is one. */
  request?: unknown
  /** Body of the answer. */
  response: unknown
}

/** By operationId. */
export type Examples = Readonly<Record<string, Example>>

export const EXAMPLES: Examples = {}
