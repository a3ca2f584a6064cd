/** Building blocks of request schemas: objects without unknown fields, bounded strings, the query of a list. */
import * as v from 'valibot'
import { isNestedDeeperThan, MAX_DEPTH } from '../json.ts'
import { EntityId } from '../records/tenant.ts'

/** valibot's object schemas accept arrays. */
const NotArray: v.GenericSchema = v.pipe(
  v.instance(Object),
  v.check((value) => !Array.isArray(value), 'must be an object'),
)

/** The same schema, but without arrays. */
export const noArray = <Output>(schema: v.GenericSchema<unknown, Output>): v.GenericSchema<unknown, Output> =>
  v.pipe(NotArray, schema)

/** Any JSON object. */
export const JsonObject = noArray(v.record(v.string(), v.unknown()))

/**
 * An object with exactly these fields. valibot's `strictObject` reports only the first unknown field; this reports all
 * of them.
 */
export const exactly = <const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.GenericSchema<unknown, v.InferOutput<v.StrictObjectSchema<Entries, undefined>>> =>
  noArray(v.objectWithRest(entries, v.never()))

/** Other agents' libraries read no deeper JSON, and neither does this one. */
export const notTooDeep = <Json>() =>
  v.check<Json, string>(
    (json) => !isNestedDeeperThan(json, MAX_DEPTH),
    `must not be nested deeper than ${MAX_DEPTH} levels`,
  )

/** A list of at most `max` items. */
export const listOf = <Item extends v.GenericSchema>(item: Item, max: number) => v.pipe(v.array(item), v.maxLength(max))

/** A string of 1 to `max` UTF-16 code units. */
export const text = (max: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(max))

/**
 * Maximum number of characters of an id in a path. In calls with a token, API Gateway accepts 1,600 bytes of method
 * ARN, which ends with the path; a longer one does not reach this service.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export const MAX_IN_PATH = 1_450

/** A URI by the rule of Credo's `UriValidator`, with at most 2,048 characters. */
export const Uri = v.pipe(text(2048), v.regex(/^\w+:\S+$/, 'must be a URI'))

/** A DID (DID Core, section 3.1). A did:peer:4 in its long form is over 1,000 characters. */
export const Did = v.pipe(text(4096), v.regex(/^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$/, 'must be a DID'))

/** Id of a message or thread (Aries RFC 0008), or a DID: the parent threads that wallets on Credo accept. */
export const ThreadId = v.pipe(
  text(1024),
  v.regex(
    /^(?:[-_./A-Za-z0-9]{8,64}|did:[a-z0-9]+:[A-Za-z0-9.-]+(?::[A-Za-z0-9._-]+)*)$/,
    'must be 8 to 64 characters of A-Z a-z 0-9 - _ . / or a DID',
  ),
)

/** A URL that this service passes on and never fetches. */
export const HttpUrl = v.pipe(
  text(2048),
  v.check((address) => /^https?:\/\/\S+$/i.test(address) && URL.canParse(address), 'must be an http(s) URL'),
  v.metadata({ format: 'uri' }),
)

const MIME_TYPE =
  /^(?:(?:application|audio|font|image|message|model|multipart|text|video)\/[\w.+-]{1,100}|text\/[a-z\d.+-]{1,100}; ?charset=[a-z\d.+-]{1,70})$/i

/** By the rule of Credo, which sends no other. */
export const MimeType = v.pipe(
  text(255),
  v.check((type) => MIME_TYPE.test(type), 'must be a MIME type'),
)

/** AnonCreds' library reads a text up to its first NUL. */
export const noNul = v.check<string, string>((value) => !value.includes('\0'), 'must have no NUL character')

/** Credo's values for automatic acceptance. */
export const AutoAccept = v.picklist(['always', 'contentApproved', 'never'])

/** A comment for people, sent with a message of an exchange. */
export const Comment = v.pipe(v.string(), v.maxLength(2000))

export const MAX_PAGE = 1000

/** Maximum number of items in a page, which also ends at 1 MB. */
export const Limit = v.pipe(
  v.string(),
  v.regex(/^[0-9]{1,4}$/, 'must be a whole number'),
  v.transform(Number),
  v.number(),
  v.minValue(1, 'must be 1 to 1000'),
  v.maxValue(MAX_PAGE, 'must be 1 to 1000'),
)

/** Opaque to callers, from the `Link` header of the previous page. */
export const Cursor = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._~-]{1,4096}$/, 'is not a cursor of this service'))

/** Of the deletion of an exchange: whether an open one is abandoned. */
export const Abandonment = v.object({ abandon: v.optional(v.picklist(['true', 'false'])) })

/** Order by `createdAt`, then by id. */
const Order = v.picklist(['asc', 'desc'])

export const Paging = v.object({
  limit: v.optional(Limit, String(MAX_PAGE)),
  cursor: v.optional(Cursor),
  order: v.optional(Order, 'asc'),
})

/** The query of a list of credential or proof exchanges. */
export const exchangeQuery = <const States extends readonly string[], const Roles extends readonly string[]>(
  states: States,
  roles: Roles,
) =>
  v.object({
    threadId: v.optional(ThreadId),
    parentThreadId: v.optional(ThreadId),
    connectionId: v.optional(EntityId),
    state: v.optional(v.picklist(states)),
    role: v.optional(v.picklist(roles)),
    ...Paging.entries,
  })
