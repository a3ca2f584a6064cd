/** Which credentials must be proved to be not revoked, and of which time. */
import { expect, test } from 'vitest'
import {
  toProveNotRevoked,
  validLists,
} from '../../../../lib/agent/formats/anoncreds/presentation-checks/non-revocation.ts'

type Arguments = Parameters<typeof toProveNotRevoked>

/** Whether that is required of a credential whose definition has this revocation. */
const isRequired = (revocation: object | undefined): boolean => {
  const [request, assignments, presentation, objects, now]: Arguments = Object([
    { non_revoked: { to: 10 } },
    { attributes: [{ subProof: 0, requested: { name: 'degree' } }], predicates: [] },
    { identifiers: [{ schema_id: 'schema', cred_def_id: 'definition' }], proof: { proofs: [{}] } },
    { schemas: new Map([['schema', {}]]), definitions: new Map([['definition', { value: { revocation } }]]) },
    10,
  ])
  try {
    expect(toProveNotRevoked(request, assignments, presentation, objects, now)).toEqual([])
    return false
  } catch (error) {
    expect(error).toMatchObject({ message: 'a credential has no proof of non-revocation' })
    return true
  }
}

test('where that was requested, those that can be revoked, and no others', () => {
  expect(isRequired({})).toBe(true)
  expect(isRequired(undefined)).toBe(false)
})

test('for an interval of each attribute and predicate, which all have an end', () => {
  const ends = (...intervals: object[]) => {
    const [first, ...others] = intervals.map((non_revoked) => ({ subProof: 0, requested: { name: 'a', non_revoked } }))
    const proved = toProveNotRevoked(
      ...(Object([
        {},
        { attributes: [first], predicates: others },
        {
          identifiers: [{ schema_id: 'schema', cred_def_id: 'definition', rev_reg_id: 'registry', timestamp: 5 }],
          proof: { proofs: [{ non_revoc_proof: {} }] },
        },
        { schemas: new Map([['schema', {}]]), definitions: new Map([['definition', { value: { revocation: {} } }]]) },
        10,
      ]) as Arguments),
    )
    return proved.map((one) => one.ends)
  }
  expect(ends({ to: 10 }, { to: 20 }, { to: 10 })).toEqual([[10, 20]])
  for (const intervals of [
    [{ to: 10 }, { from: 5 }],
    [{ from: 5 }, { to: 10 }],
  ])
    expect(() => ends(...intervals)).toThrow('the interval of the request must have an end')
})

test('a time that is in the future, or of a credential that cannot be revoked, is rejected', () => {
  const prove = (timestamp: number, revocation?: object) =>
    toProveNotRevoked(
      ...(Object([
        { non_revoked: { to: 5_000 } },
        { attributes: [{ subProof: 0, requested: { name: 'degree' } }], predicates: [] },
        {
          identifiers: [{ schema_id: 'schema', cred_def_id: 'definition', rev_reg_id: 'registry', timestamp }],
          proof: { proofs: [revocation ? { non_revoc_proof: {} } : {}] },
        },
        { schemas: new Map([['schema', {}]]), definitions: new Map([['definition', { value: { revocation } }]]) },
        1_000,
      ]) as Arguments),
    )
  expect(prove(1_300, {})).toMatchObject([{ timestamp: 1_300 }])
  expect(() => prove(1_301, {})).toThrow('a credential has a time of non-revocation that is in the future')
  expect(() => prove(900)).toThrow('an irrevocable credential has a time of non-revocation')
})

test('a list of another registry or issuer is not in force, nor one after the time that is named', () => {
  const list = { revRegDefId: 'did:a:b/registry', issuerId: 'did:a:b', timestamp: 5 }
  const check = (changed: object) =>
    validLists(
      [{ credentialDefinitionId: 'definition', registryId: 'did:a:b/registry', timestamp: 7, ends: [10] }],
      Object({ definitions: new Map([['definition', { issuerId: 'did:a:b' }]]) }),
      new Map([
        [
          'did:a:b/registry',
          Object({
            definition: { credDefId: 'definition', issuerId: 'did:a:b' },
            listAt: new Map([[10, { ...list, ...changed }]]),
          }),
        ],
      ]),
    )
  expect(check({})).toEqual([{ ...list, timestamp: 7 }])
  for (const changed of [{ revRegDefId: 'did:a:b/other' }, { issuerId: 'did:a:c' }])
    expect(() => check(changed)).toThrow('the revocation status list belongs to another registry')
  expect(() => check({ timestamp: 8 })).toThrow('does not use the list that was valid')
})
