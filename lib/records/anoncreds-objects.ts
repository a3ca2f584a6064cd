/**
 * The public objects of AnonCreds, as issuers publish them:
 * https://anoncreds.github.io/anoncreds-spec/#anoncreds-issuer-setup-with-revocation
 */
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { UNSAFE_NAMES } from '../json.ts'

/** Maximum length of a DID or of the id of any object, in characters. */
export const MAX_OBJECT_ID = 4096
/** Maximum number of attributes of a schema (AnonCreds v1.0). */
export const MAX_ATTRIBUTES = 125

/** An attribute of every credential that is not in its schema. */
export const LINK_SECRET = 'master_secret'

/** An attribute's name as AnonCreds compares it: `First Name` is `firstname`. */
export const commonName = (name: string): string => name.replaceAll(' ', '').toLowerCase()

/**
 * Reserved attribute names: the library uses the first for the link secret, and objects keyed by attribute would lose
 * the others.
 */
const RESERVED = [LINK_SECRET, ...UNSAFE_NAMES]

/** Why a credential cannot have all of these attributes; undefined if it can. */
export const invalidAttributesReason = (names: string[]): string | undefined => {
  const common = names.map(commonName)
  if (common.includes('')) return 'must not have a name of spaces only'
  if (RESERVED.some((name) => common.includes(name))) return `must not have a reserved name: ${RESERVED.join(', ')}`
  return new Set(common).size < common.length
    ? 'must not have two names that differ only in spaces and case'
    : undefined
}

/**
 * Whether two schemas have the same attributes, in any order: an Indy ledger stores them as a set, which indy-vdr sends
 * in any order.
 */
export const isSameSet = (one: string[], other: string[]): boolean =>
  isDeepStrictEqual(one.toSorted(), other.toSorted())

/** How a predicate compares a value of a credential with its own. */
export const PredicateType = v.picklist(['>=', '>', '<=', '<'])

/** AnonCreds has signed 32-bit integers. */
export const MAX_INT32 = 2 ** 31 - 1

const INT32 = 'must be a 32-bit integer'

/** The value of a predicate. */
export const Int32 = v.pipe(
  v.number(),
  v.integer(INT32),
  v.minValue(-MAX_INT32 - 1, INT32),
  v.maxValue(MAX_INT32, INT32),
)

/** Maximum number of credentials in a registry of another issuer: its status list has 2 bytes of JSON for each. */
export const MAX_REGISTRY = 500_000

export const Id = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_OBJECT_ID))

const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(256))

/** A whole number of slightly more than 2,048 bits at most: time grows with the third power of its length. */
const Decimal = v.pipe(v.string(), v.regex(/^[0-9]{1,620}$/, 'must be a whole number'))

/** Coordinates of a point, or an element of a field, in hexadecimal. */
const Point = v.pipe(v.string(), v.regex(/^[0-9A-Fa-f ]{1,2000}$/, 'must be hexadecimal numbers'))

export const TailsHash = v.pipe(v.string(), v.regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a SHA-256 in base58'))

export const AnonCredsSchema = v.object({
  issuerId: Id,
  name: Name,
  version: Name,
  attrNames: v.pipe(
    v.array(Name),
    v.minLength(1),
    v.maxLength(MAX_ATTRIBUTES),
    v.check((names) => new Set(names).size === names.length, 'must not have an attribute twice'),
  ),
})

export const AnonCredsCredentialDefinition = v.object({
  issuerId: Id,
  schemaId: Id,
  type: v.literal('CL'),
  tag: Name,
  value: v.object({
    primary: v.object({
      n: Decimal,
      s: Decimal,
      /** One for each attribute, and one for the link secret, which is not in the schema. */
      r: v.pipe(
        v.record(v.string(), Decimal),
        v.check((r) => Object.keys(r).length <= MAX_ATTRIBUTES + 1, 'must not have more attributes than a schema'),
      ),
      rctxt: Decimal,
      z: Decimal,
    }),
    revocation: v.optional(
      v.object({
        g: Point,
        g_dash: Point,
        h: Point,
        h0: Point,
        h1: Point,
        h2: Point,
        htilde: Point,
        h_cap: Point,
        u: Point,
        pk: Point,
        y: Point,
      }),
    ),
  }),
})

export const AnonCredsRevocationRegistryDefinition = v.object({
  issuerId: Id,
  revocDefType: v.literal('CL_ACCUM'),
  credDefId: Id,
  tag: Name,
  value: v.object({
    publicKeys: v.object({ accumKey: v.object({ z: Point }) }),
    maxCredNum: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_REGISTRY)),
    tailsLocation: Id,
    tailsHash: TailsHash,
  }),
})

export const AnonCredsRevocationStatusList = v.object({
  issuerId: Id,
  revRegDefId: Id,
  /** By index; 1 is revoked. */
  revocationList: v.pipe(v.array(v.picklist([0, 1])), v.minLength(1), v.maxLength(MAX_REGISTRY)),
  currentAccumulator: Point,
  /** The time from which it is valid, in epoch seconds. */
  timestamp: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
})

export type AnonCredsSchema = v.InferOutput<typeof AnonCredsSchema>
export type AnonCredsRevocationStatusList = v.InferOutput<typeof AnonCredsRevocationStatusList>
