/**
 * Schemas of AnonCreds proof requests (AnonCreds v1.0, "Create Presentation Request"), in the formats `indy` and
 * `anoncreds`.
 */
import * as v from 'valibot'
import { commonName, Int32, PredicateType } from '../records/anoncreds-objects.ts'
import { exactly, noArray, noNul, text } from './fields.ts'

/** Epoch seconds. */
const Moment = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER))

/**
 * The moment at which a credential must not be revoked: the status list that is valid at `to` decides. `from` is equal
 * to `to` or absent (Aries RFC 0441): wallets reject any other interval.
 */
const NonRevoked = v.pipe(
  exactly({ from: v.optional(Moment), to: Moment }),
  v.check(({ from, to }) => from === undefined || from === to, 'must have `from` equal to `to`'),
)

/** Without `rev_reg_id`, because the prover names the registry. */
const RESTRICTIONS = ['schema_id', 'schema_issuer_id', 'schema_name', 'schema_version', 'issuer_id', 'cred_def_id']

/** The two additional ones are for unqualified DIDs of Indy; for other DIDs the library finds no match. */
const INDY_RESTRICTIONS = [...RESTRICTIONS, 'schema_issuer_did', 'issuer_did']

const ATTRIBUTE_RESTRICTION = /^attr::[^:]+::(marker|value)$/
const MARKER = /^attr::[^:]+::marker$/

const restrictionsOf = (keys: readonly string[]) => {
  const key = v.pipe(
    text(512),
    v.check(
      (name) => keys.includes(name) || ATTRIBUTE_RESTRICTION.test(name),
      'is not a restriction that can be enforced',
    ),
  )
  const restriction = v.pipe(
    noArray(v.record(key, text(2048))),
    v.check(
      (value) => Object.entries(value).every(([name, mark]) => !MARKER.test(name) || mark === '1' || mark === '0'),
      'must mark an attribute with "1" or "0"',
    ),
  )
  return v.pipe(v.array(restriction), v.maxLength(100))
}

const Name = text(256)

const requestedAttribute = (restrictions: v.GenericSchema<unknown, Record<string, string>[]>) =>
  v.pipe(
    exactly({
      name: v.optional(Name),
      names: v.optional(
        v.pipe(
          v.array(Name),
          v.minLength(1),
          v.maxLength(100),
          v.check((names) => new Set(names.map(commonName)).size === names.length, 'must not name an attribute twice'),
        ),
      ),
      restrictions: v.optional(restrictions),
      non_revoked: v.optional(NonRevoked),
    }),
    v.check(
      ({ name, names }) => (name === undefined) !== (names === undefined),
      'must have name or names, and not both',
    ),
  )

const requestedPredicate = (restrictions: v.GenericSchema<unknown, Record<string, string>[]>) =>
  exactly({
    name: Name,
    p_type: PredicateType,
    p_value: Int32,
    restrictions: v.optional(restrictions),
    non_revoked: v.optional(NonRevoked),
  })

/** Referents are the caller's names for requested items. */
const byReferent = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(noArray(v.record(v.pipe(text(128), noNul), item)), v.maxEntries(100))

const isEmpty = (groups: object | undefined): boolean => groups === undefined || Object.keys(groups).length === 0

const proofRequest = (keys: readonly string[]) => {
  const restrictions = restrictionsOf(keys)
  return v.pipe(
    exactly({
      name: Name,
      version: text(64),
      non_revoked: v.optional(NonRevoked),
      requested_attributes: v.optional(byReferent(requestedAttribute(restrictions))),
      requested_predicates: v.optional(byReferent(requestedPredicate(restrictions))),
    }),
    v.check(
      (request) => !isEmpty(request.requested_attributes) || !isEmpty(request.requested_predicates),
      'must request an attribute or a predicate',
    ),
    // Credo rejects a name that is in both groups, because a wallet could not tell which of the two it reveals.
    v.check(({ requested_attributes: attributes = {}, requested_predicates: predicates = {} }) => {
      const names = new Set(
        Object.values(attributes)
          .flatMap(({ name, names: group }) => group ?? name ?? [])
          .map(commonName),
      )
      return Object.values(predicates).every(({ name }) => !names.has(commonName(name)))
    }, 'must not request one name as an attribute and as a predicate'),
  )
}

/** Format `anoncreds`: ids of any form. */
export const AnonCredsProofRequest = proofRequest(RESTRICTIONS)

/** Format `indy`: unqualified ids of objects on an Indy ledger. */
export const IndyProofRequest = proofRequest(INDY_RESTRICTIONS)
