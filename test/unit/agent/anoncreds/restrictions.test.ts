/** Restrictions of attributes: which credential may show them. */
import { expect, test } from 'vitest'
import { assertRestrictions } from '../../../../lib/agent/formats/anoncreds/presentation-checks/index.ts'

type Arguments = Parameters<typeof assertRestrictions>

const OBJECTS: Arguments[2] = Object({
  schemas: new Map([['schema', { name: 'degree', version: '1.0', issuerId: 'author', attrNames: ['Degree', 'name'] }]]),
  definitions: new Map([['definition', { issuerId: 'issuer' }]]),
})

const shown = (subProof: number, name: string, raw: string, restrictions: object[] = []) => ({
  ...{ referent: name, subProof, requested: { name, restrictions } },
  values: new Map([[name, { raw, encoded: '1' }]]),
})

/** A presentation of two credentials: the first one shows a degree, the second one a name. */
const meets = (restriction: object): boolean => {
  const identifier = { schema_id: 'schema', cred_def_id: 'definition' }
  const attributes = [shown(0, 'degree', 'Bachelor', [restriction]), shown(1, 'name', 'Alice')]
  const check = () =>
    assertRestrictions(
      Object({ attributes, predicates: [] }),
      Object({ identifiers: [identifier, identifier] }),
      OBJECTS,
    )
  try {
    check()
    return true
  } catch (error) {
    expect(error).toMatchObject({ message: 'the credential for "degree" does not meet the restrictions' })
    return false
  }
}

test.each([
  ['the issuer', { issuer_id: 'issuer' }, { issuer_id: 'author' }],
  ['the issuer as a DID', { issuer_did: 'issuer' }, { issuer_did: 'author' }],
  ["the schema's issuer", { schema_issuer_id: 'author' }, { schema_issuer_id: 'issuer' }],
  ["the schema's name", { schema_name: 'degree' }, { schema_name: '1.0' }],
  ["the schema's version", { schema_version: '1.0' }, { schema_version: 'degree' }],
  ['a value that it shows', { 'attr::DEGREE::value': 'Bachelor' }, { 'attr::degree::value': 'Master' }],
  ['an attribute that it shows', { 'attr::degree::marker': '1' }, { 'attr::degree::marker': '2' }],
  ['an attribute that its schema has not', { 'attr::age::marker': '0' }, { 'attr::degree::marker': '0' }],
])('%s is compared', (_, met, unmet) => {
  expect(meets(met)).toBe(true)
  expect(meets(unmet)).toBe(false)
})

test('what another credential of the presentation shows does not count', () => {
  expect(meets({ 'attr::name::value': 'Alice' })).toBe(false)
  expect(meets({ 'attr::name::marker': '1' })).toBe(false)
})
