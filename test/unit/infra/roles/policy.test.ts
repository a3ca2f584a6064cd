/** What a role allows, where we say it in IAM's place. */
import { describe, expect, test } from 'vitest'
import { allows, resourceName, type Statement } from '../../../../infra/roles/policy.ts'

const TABLE = { 'Fn::GetAtt': ['Table', 'Arn'] }
const KEYS = 'dynamodb:LeadingKeys'
const SCOPE = 'kms:EncryptionContext:scope'

const statement = (Condition?: Statement['Condition']): Statement => ({
  Effect: 'Allow',
  Action: ['dynamodb:GetItem'],
  Resource: TABLE,
  ...(Condition && { Condition }),
})
const call = (context: Record<string, string[]> = {}) => ({ action: 'dynamodb:GetItem', resource: 'Table', context })

describe('a statement', () => {
  test('allows its actions on its resources, and nothing else', () => {
    expect(allows([statement()], call())).toBe(true)
    expect(allows([statement()], { ...call(), action: 'dynamodb:Query' })).toBe(false)
    expect(allows([statement()], { ...call(), resource: 'Table/index/due' })).toBe(false)
    expect(allows([], call())).toBe(false)
  })

  test('holds under all of its conditions', () => {
    const both = { 'ForAllValues:StringLike': { [KEYS]: ['a|*', 'b'] }, Null: { [KEYS]: 'false' } }
    expect(allows([statement(both)], call({ [KEYS]: ['a|1', 'b'] }))).toBe(true)
    expect(allows([statement(both)], call({ [KEYS]: ['a|1', 'c'] }))).toBe(false)
    expect(allows([statement(both)], call())).toBe(false)
  })

  test('for all values also allows none at all: the reason why `Null` stands beside it', () => {
    expect(allows([statement({ 'ForAllValues:StringLike': { [KEYS]: 'a' } })], call())).toBe(true)
  })

  test.each<[string, string, boolean]>([
    ['*|key|*', 'acme|key|k1', true],
    ['*|key|*', 'acme|key', false],
    ['@org|*', '@org|a|tenants', true],
    ['@org|*', 'x@org|a', false],
    ['a?c', 'abc', true],
    ['a?c', 'abcd', false],
    ['a.c', 'abc', false],
    ['a|*', 'a|two\nlines', true],
    ['*|*Record|*', 'acme|ProofRecord|1', true],
    ['*|*Record|*', 'acme|key|Record', false],
  ])('%s is like %s: %s', (pattern, key, like) => {
    expect(allows([statement({ StringLike: { [KEYS]: pattern } })], call({ [KEYS]: [key] }))).toBe(like)
  })

  test('with a plain operator holds for one value, and for no list', () => {
    expect(allows([statement({ StringLike: { [KEYS]: '*' } })], call({ [KEYS]: ['a', 'b'] }))).toBe(false)
  })

  test('with a negated operator holds for a request without the key', () => {
    const others = statement({ StringNotLike: { [SCOPE]: '@org|*' } })
    expect(allows([others], call())).toBe(true)
    expect(allows([others], call({ [SCOPE]: ['acme'] }))).toBe(true)
    expect(allows([others], call({ [SCOPE]: ['@org|acme'] }))).toBe(false)
  })

  test('with an operator that no role has is not guessed at', () => {
    expect(() => allows([statement({ DateLessThan: { 'aws:CurrentTime': '2030-01-01' } })], call())).toThrow(
      'DateLessThan',
    )
  })
})

test.each([
  [TABLE, 'Table'],
  [{ 'Fn::Sub': `\${Table.Arn}/index/due` }, 'Table/index/due'],
  ['*', '"*"'],
])('%o has the name %s', (resource, name) => {
  expect(resourceName(resource)).toBe(name)
})
