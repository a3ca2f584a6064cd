/** The environment of the functions, which AWS takes up to 4 KB of. */
import { expect, test } from 'vitest'
import { ofType } from '../../../support/stage/template.ts'
import { grown } from './packaged.ts'

/** Of an ARN or the address of a queue with the longest names that there may be. */
const MAX_REFERENCE = 200

const bytesOf = (value: unknown): number => (typeof value === 'string' ? Buffer.byteLength(value) : MAX_REFERENCE)

test('is far from full, whatever issuers, grants and contexts there are', () => {
  const sizes = ofType(grown.resources, 'AWS::Lambda::Function').map(([id, { Properties }]) => {
    const { Variables = {} } = Object(Properties.Environment)
    return {
      id,
      bytes: Object.entries(Variables).reduce((sum, [name, value]) => sum + name.length + bytesOf(value), 0),
    }
  })
  expect(sizes.length).toBeGreaterThan(20)
  expect(sizes.filter(({ bytes }) => bytes > 2_500)).toEqual([])
})

test('has what is set, in every function', () => {
  const functions = ofType(grown.resources, 'AWS::Lambda::Function')
  for (const [id, { Properties }] of functions)
    expect({ id, ...Object(Properties.Environment).Variables }).toMatchObject({
      id,
      TABLE_NAME: { Ref: 'Table' },
      KMS_KEY_ID: { Ref: 'SealingKey' },
      PUBLIC_URL: 'https://agent.example.org/v1',
      BASE_ORG_ID: 'acme',
      AGENT_LABEL: 'Acme',
      LOG_LEVEL: 'warn',
      TRACING: 'on',
    })
})

test('what is packed in its place is what verifying takes: no certificates, no keys for encryption', () => {
  const issuers = grown.functions.authorizer?.packed?.TOKEN_ISSUERS as { jwks: { keys: object[] } }[]
  const keys = issuers.flatMap(({ jwks }) => jwks.keys)
  expect(keys).toHaveLength(6)
  for (const key of keys) expect(Object.keys(key).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
})
