/** Restrictions of attributes: which credential may show them. */
import { expect, test } from 'vitest'
import { assertRestrictions } from '../../../../lib/agent/formats/anoncreds/presentation-checks/index.ts'
import { isNamedBy } from '../../../../lib/agent/formats/anoncreds/presentation-checks/objects.ts'
import { assertIdRestrictions } from '../../../../lib/agent/formats/anoncreds/presentation-checks/restrictions.ts'

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
const meets = (restriction: object, predicates: object[] = []): boolean => {
  const identifier = { schema_id: 'schema', cred_def_id: 'definition' }
  const attributes = [shown(0, 'degree', 'Bachelor', [restriction]), shown(1, 'name', 'Alice')]
  const check = () =>
    assertRestrictions(Object({ attributes, predicates }), Object({ identifiers: [identifier, identifier] }), OBJECTS)
  try {
    check()
    return true
  } catch (error) {
    expect(error).toMatchObject({ message: 'the credential for "degree" does not satisfy the restrictions' })
    return false
  }
}

test.each([
  ['the issuer', { issuer_id: 'issuer' }, { issuer_id: 'author' }],
  ['the issuer as a DID', { issuer_did: 'issuer' }, { issuer_did: 'author' }],
  ["the schema's issuer", { schema_issuer_id: 'author' }, { schema_issuer_id: 'issuer' }],
  ["the schema's issuer as a DID", { schema_issuer_did: 'author' }, { schema_issuer_did: 'issuer' }],
  ['the schema', { schema_id: 'schema' }, { schema_id: 'definition' }],
  ['the definition', { cred_def_id: 'definition' }, { cred_def_id: 'schema' }],
  ["the schema's name", { schema_name: 'degree' }, { schema_name: '1.0' }],
  ["the schema's version", { schema_version: '1.0' }, { schema_version: 'degree' }],
  ['a value that it shows', { 'attr::DEGREE::value': 'Bachelor' }, { 'attr::degree::value': 'Master' }],
  ['an attribute that it shows', { 'attr::degree::marker': '1' }, { 'attr::degree::marker': '2' }],
  ['an attribute that its schema has not', { 'attr::age::marker': '0' }, { 'attr::degree::marker': '0' }],
])('%s is compared', (_, met, unmet) => {
  expect(meets(met)).toBe(true)
  expect(meets(unmet)).toBe(false)
})

test('an attribute counts as shown where a predicate on it is proved by the same credential', () => {
  const proved = (subProof: number) => [{ referent: 'age', subProof, requested: { name: 'Age' } }]
  expect(meets({ 'attr::age::marker': '1' }, proved(0))).toBe(true)
  expect(meets({ 'attr::age::marker': '1' }, proved(1))).toBe(false)
  expect(meets({ 'attr::age::value': '18' }, proved(0))).toBe(false)
})

test.each(['schema_id', 'cred_def_id', 'schema_issuer_id', 'schema_issuer_did', 'issuer_id', 'issuer_did'])(
  'nothing is read for a credential that cannot meet %s',
  (key) => {
    const identifier = { schema_id: 'did:own:a/schema', cred_def_id: 'did:own:b/definition' }
    const own = { ...identifier, schema_issuer_id: 'did:own:a', issuer_id: 'did:own:b' }
    const ofIds: Record<string, string> = { ...own, schema_issuer_did: own.schema_issuer_id, issuer_did: own.issuer_id }
    const check = (value = '', subProof = 0) =>
      assertIdRestrictions(
        Object({
          attributes: [shown(subProof, 'degree', '', [{ [key]: value, schema_name: 'unread' }])],
          predicates: [],
        }),
        Object({ identifiers: [identifier] }),
      )
    expect(() => check(ofIds[key])).not.toThrow()
    expect(() => check('did:own')).toThrow('does not satisfy')
    expect(() => check(ofIds[key], 1)).toThrow('does not satisfy')
  },
)

test('what another credential of the presentation shows does not count', () => {
  expect(meets({ 'attr::name::value': 'Alice' })).toBe(false)
  expect(meets({ 'attr::name::marker': '1' })).toBe(false)
})

test.each([
  ['did:web:example.org:acme', 'did:web:example.org:acme/schemas/degree', true],
  ['did:web:example.org:acme', 'did:web:example.org:acme2/schemas/degree', false],
  ['V4SGRU86Z58d6TV7PBUe6f', 'V4SGRU86Z58d6TV7PBUe6f:2:degree:1.0', true],
  ['V4SGRU86Z58d6TV7PBUe6', 'V4SGRU86Z58d6TV7PBUe6f:2:degree:1.0', false],
])('whether the issuer %s may publish %s: %s', (issuerId, id, may) => {
  expect(isNamedBy(id, issuerId)).toBe(may)
})
