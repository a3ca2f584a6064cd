/** An AnonCreds proof request, as the AnonCreds specification (v1.0, "Create Presentation Request") has it, for indy and anoncreds. */
import * as v from 'valibot'
import { exactly, noArray, text } from './fields.ts'

/** Seconds since the epoch. */
const Moment = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER))

const NonRevoked = v.pipe(
  exactly({ from: v.optional(Moment), to: v.optional(Moment) }),
  v.check(({ from, to }) => from === undefined || to === undefined || from <= to, 'must not end before it begins'),
)

const RESTRICTIONS = [
  'schema_id',
  'schema_issuer_id',
  'schema_issuer_did',
  'schema_name',
  'schema_version',
  'issuer_id',
  'issuer_did',
  'cred_def_id',
  'rev_reg_id',
]
const ATTRIBUTE_RESTRICTION = /^attr::[^:]+::(marker|value)$/
const MARKER = /^attr::[^:]+::marker$/

const RestrictionKey = v.pipe(
  text(512),
  v.check((key) => RESTRICTIONS.includes(key) || ATTRIBUTE_RESTRICTION.test(key), 'is not a known restriction'),
)

const Restriction = v.pipe(
  noArray(v.record(RestrictionKey, text(2048))),
  v.check(
    (value) => Object.entries(value).every(([key, held]) => !MARKER.test(key) || held === '1' || held === '0'),
    'must mark an attribute with "1" or "0"',
  ),
)

const Restrictions = v.pipe(v.array(Restriction), v.maxLength(100))
const Name = text(256)

const RequestedAttribute = v.pipe(
  exactly({
    name: v.optional(Name),
    names: v.optional(v.pipe(v.array(Name), v.minLength(1), v.maxLength(100))),
    restrictions: v.optional(Restrictions),
    non_revoked: v.optional(NonRevoked),
  }),
  v.check(({ name, names }) => (name === undefined) !== (names === undefined), 'must have name or names, and not both'),
)

const RequestedPredicate = exactly({
  name: Name,
  p_type: v.picklist(['>=', '>', '<=', '<']),
  /** Predicates compare 32-bit integers. */
  p_value: v.pipe(v.number(), v.integer(), v.minValue(-2_147_483_648), v.maxValue(2_147_483_647)),
  restrictions: v.optional(Restrictions),
  non_revoked: v.optional(NonRevoked),
})

/** Referents are the caller's own names for what is asked. */
const byReferent = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(noArray(v.record(text(128), item)), v.maxEntries(100))

const isEmpty = (groups: object | undefined): boolean => groups === undefined || Object.keys(groups).length === 0

export const AnonCredsProofRequest = v.pipe(
  exactly({
    name: Name,
    version: text(64),
    non_revoked: v.optional(NonRevoked),
    requested_attributes: v.optional(byReferent(RequestedAttribute)),
    requested_predicates: v.optional(byReferent(RequestedPredicate)),
  }),
  v.check(
    (request) => !isEmpty(request.requested_attributes) || !isEmpty(request.requested_predicates),
    'must request an attribute or a predicate',
  ),
  // Credo refuses one name in both groups: a wallet could not tell which of the two it reveals.
  v.check(({ requested_attributes: attributes = {}, requested_predicates: predicates = {} }) => {
    const names = new Set(Object.values(attributes).flatMap(({ name, names: group }) => group ?? name ?? []))
    return Object.values(predicates).every(({ name }) => !names.has(name))
  }, 'must not request one name as an attribute and as a predicate'),
)

export type AnonCredsProofRequest = v.InferOutput<typeof AnonCredsProofRequest>
