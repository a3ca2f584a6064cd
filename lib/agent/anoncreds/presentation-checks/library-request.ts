/** A proof request as the library is given it: without what it misreads, and what is checked here instead. */
import type { Request, Restriction } from './request.ts'

/**
 * The library compares a marker with the attribute's value, and refuses a value of an attribute that another referent reveals. It would
 * also take any list within an interval. Ids are compared by it too.
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
