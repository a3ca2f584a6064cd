/** Which credentials have to be proved to be not revoked. */
import { expect, test } from 'vitest'
import { toProveNotRevoked } from '../../../../lib/agent/formats/anoncreds/presentation-checks/non-revocation.ts'

type Arguments = Parameters<typeof toProveNotRevoked>

/** Whether that is required of a credential whose definition has this revocation. */
const isRequired = (revocation: object | undefined): boolean => {
  const [request, assignments, presentation, objects]: Arguments = Object([
    { non_revoked: { to: 10 } },
    { attributes: [{ subProof: 0, requested: { name: 'degree' } }], predicates: [] },
    { identifiers: [{ schema_id: 'schema', cred_def_id: 'definition' }], proof: { proofs: [{}] } },
    { schemas: new Map([['schema', {}]]), definitions: new Map([['definition', { value: { revocation } }]]) },
  ])
  try {
    expect(toProveNotRevoked(request, assignments, presentation, objects)).toEqual([])
    return false
  } catch (error) {
    expect(error).toMatchObject({ message: 'a credential is not proved to be not revoked' })
    return true
  }
}

test('where that was requested, those that can be revoked, and no others', () => {
  expect(isRequired({})).toBe(true)
  expect(isRequired(undefined)).toBe(false)
})
