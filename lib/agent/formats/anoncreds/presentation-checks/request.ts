/** An AnonCreds proof request: as it was sent, and as the library gets it. A prover's proposal may have become one, so only its form is relied on. */
import * as v from 'valibot'
import { Nonce } from '../values/index.ts'

const Restriction = v.record(v.string(), v.string())

const Interval = v.object({ from: v.nullish(v.number()), to: v.nullish(v.number()) })

const asked = { restrictions: v.nullish(v.array(Restriction)), non_revoked: v.nullish(Interval) }

export const Request = v.object({
  nonce: Nonce,
  requested_attributes: v.record(
    v.string(),
    v.object({ name: v.optional(v.string()), names: v.optional(v.array(v.string())), ...asked }),
  ),
  requested_predicates: v.record(
    v.string(),
    v.object({ name: v.string(), p_type: v.picklist(['>=', '>', '<=', '<']), p_value: v.number(), ...asked }),
  ),
  non_revoked: v.nullish(Interval),
})

export type Request = v.InferOutput<typeof Request>
export type Restriction = v.InferOutput<typeof Restriction>
export type RequestedAttribute = Request['requested_attributes'][string]
export type RequestedPredicate = Request['requested_predicates'][string]

/** The names of a requested attribute: its own, or those of its group. */
export const namesOf = ({ name, names }: RequestedAttribute): string[] => names ?? (name === undefined ? [] : [name])

/**
 * Removes restrictions on attributes: the library compares a marker with the attribute's value, and refuses a value of an attribute that another
 * referent reveals. It also accepts any list within an interval, so `non_revoked` is removed too. Restrictions on ids are left to it.
 */
const withoutAttributes = (restriction: Restriction): Restriction =>
  Object.fromEntries(Object.entries(restriction).filter(([key]) => !key.startsWith('attr::')))

const forLibrary = <Asked extends { restrictions?: Restriction[] | null | undefined; non_revoked?: unknown }>({
  restrictions,
  non_revoked: _,
  ...asked
}: Asked) => ({ ...asked, ...(restrictions?.length && { restrictions: restrictions.map(withoutAttributes) }) })

const mapped = <Asked, Made>(asked: Record<string, Asked>, make: (one: Asked) => Made): Record<string, Made> =>
  Object.fromEntries(Object.entries(asked).map(([referent, one]) => [referent, make(one)]))

export const requestForLibrary = ({ nonce, requested_attributes, requested_predicates }: Request) => ({
  name: 'request',
  version: '1.0',
  nonce,
  requested_attributes: mapped(requested_attributes, forLibrary),
  requested_predicates: mapped(requested_predicates, forLibrary),
})
