/**
 * JSON-LD contexts that a verifier trusts for one proof request, besides those of the service. They are stored, and
 * never sent to a wallet.
 */
import * as v from 'valibot'
import { JsonObject, noArray, notTooDeep, text } from './fields.ts'

const MAX_CONTEXTS = 10

/** Maximum size of all contexts with their URLs, as JSON, in bytes. */
const MAX_BYTES = 128 * 1024

const Address = v.pipe(
  text(2048),
  v.regex(/^(?:https?:\/\/|urn:)[^\s<>"{}|\\^`]+$/, 'must be an http(s) or urn address'),
)

/**
 * Contexts that it refers to must be trusted as well, because none is fetched. `@import` is not allowed: the JSON-LD
 * processor caches a context by its text, which lacks the imported terms.
 */
const ContextDocument = v.pipe(
  noArray(
    v.looseObject({
      '@context': v.union([
        JsonObject,
        v.pipe(v.array(v.union([Address, JsonObject])), v.minLength(1), v.maxLength(MAX_CONTEXTS)),
      ]),
    }),
  ),
  v.check((document) => !JSON.stringify(document).includes('"@import":'), 'must not have @import'),
  notTooDeep(),
)

/** `{<address>: <context document>}` */
export const PresentationContexts = v.pipe(
  noArray(v.record(Address, ContextDocument)),
  v.maxEntries(MAX_CONTEXTS),
  v.check((contexts) => Buffer.byteLength(JSON.stringify(contexts)) <= MAX_BYTES, `must be at most ${MAX_BYTES} bytes`),
)
