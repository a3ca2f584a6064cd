/** Validates path, query and `Idempotency-Key`: 400 if they do not match their schemas. */
import { AgentError } from '../errors.ts'
import { type Contract, IDEMPOTENCY_KEY } from '../interface/contract.ts'
import { addChecked, headerOf, type OperationEvent, type OperationMiddleware } from './event.ts'
import { validate } from './validate.ts'

/**
 * The port in a did:webvh or did:web is percent-encoded as part of the id. If the caller has not encoded the id once
 * more (every `%` would then be `%25`), this function does, so that decoding leaves the port unchanged.
 */
const withPortEncoded = (value: string): string =>
  /^did:web(?:vh)?:/.test(value) ? value.replaceAll(/%3a/gi, '%253A') : value

const decoded = (value: string | undefined): string | undefined => {
  try {
    return value === undefined ? undefined : decodeURIComponent(withPortEncoded(value))
  } catch {
    return value
  }
}

const pathOf = ({ pathParameters }: OperationEvent): Record<string, string | undefined> => {
  const path: Record<string, string | undefined> = {}
  for (const name in pathParameters) path[name] = decoded(pathParameters[name])
  return path
}

/** Rejects repeated parameters: the gateway would silently use the last one. */
const assertSingle = ({ multiValueQueryStringParameters: parameters }: OperationEvent, names: string[]): void => {
  const repeated = names.filter((name) => (parameters?.[name]?.length ?? 0) > 1)
  if (repeated.length === 0) return
  const details = repeated.map((path) => ({ path, message: 'must occur once' }))
  throw new AgentError('request.malformed', 'The query is not valid', { details })
}

/** Rejects U+FFFD: gateways decode invalid UTF-8 to it, and it would be searched for. */
const assertDecoded = ({ queryStringParameters: parameters }: OperationEvent): void => {
  if (Object.values(parameters ?? {}).some((value) => value?.includes('\uFFFD')))
    throw new AgentError('request.malformed', 'The query is not UTF-8 in percent-encoding')
}

const keyOf = (event: OperationEvent): string | undefined => {
  const key = headerOf(event, 'idempotency-key')
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key))
    throw new AgentError('request.malformed', 'the Idempotency-Key must be 1 to 255 visible characters')
  return key
}

export const checkParameters =
  (contract: Contract): OperationMiddleware =>
  ({ event }) => {
    const { path, query } = contract.parameters ?? {}
    if (path) addChecked(event, { path: validate(path, pathOf(event), 'request.malformed', 'The path is not valid') })
    if (query) {
      assertDecoded(event)
      const checked = validate(query, event.queryStringParameters ?? {}, 'request.malformed', 'The query is not valid')
      assertSingle(event, Object.keys(Object(checked)))
      addChecked(event, { query: checked })
    }
    if (contract.idempotent) addChecked(event, { idempotencyKey: keyOf(event) })
  }
