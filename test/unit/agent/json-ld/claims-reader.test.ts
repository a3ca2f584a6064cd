/** Holders and verifiers read the same claims, in whatever form an issuer wrote them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { claimsReader } from '../../../../lib/agent/formats/json-ld/claims-reader.ts'
import { isObject } from '../../../../lib/json.ts'
import { evaluateField } from '../../../../lib/presentation-exchange/constraints.ts'
import type { Filter } from '../../../../lib/presentation-exchange/definition-schema.ts'
import { Work } from '../../../../lib/presentation-exchange/work.ts'
import type { Json } from '../../../support/stage/in-process-stage.ts'

const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
const NAMES = ['a', 'b', 'list', 'json']
const context = {
  ...{ '@version': 1.1, type: '@type', id: '@id', VerifiableCredential: `${CREDENTIALS}VerifiableCredential` },
  ...{ credentialSubject: `${CREDENTIALS}credentialSubject`, a: 'urn:x:a', b: 'urn:x:b' },
  ...{ list: { '@id': 'urn:x:list', '@container': '@list' }, json: { '@id': 'urn:x:json', '@type': '@json' } },
}
const load = () => Promise.reject(new Error('nothing to load'))
const agentContext = { resolve: () => ({ documentLoader: () => load }) }

/** What is read of a credential with these claims. A new reader each time: it has one budget for all of a request. */
const read = (credentialSubject: unknown): Promise<unknown> =>
  claimsReader(agentContext as never)({ '@context': context, type: ['VerifiableCredential'], credentialSubject })

const scalar = fc.constantFrom<unknown[]>('x', 'y', 'z', 1, 2, true)
const literal = fc.letrec((tie) => ({
  value: fc.oneof(scalar, fc.array(tie('value'), { maxLength: 2 }), fc.record({ a: tie('value') })),
})).value
const subject = fc.letrec<{ node: Json; value: unknown }>((tie) => ({
  node: fc.record(
    {
      a: fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
      b: tie('value'),
      list: fc.array(tie('value'), { maxLength: 2 }),
      json: literal,
    },
    { requiredKeys: ['b'] },
  ),
  value: fc.oneof({ maxDepth: 2, withCrossShrink: true }, scalar, tie('node')),
})).node

const isSingle = (values: unknown): values is [unknown] => Array.isArray(values) && values.length === 1

/** Another form of the same claims: sets the other way round, lists of one for values, values for such lists. */
const rewritten = (node: unknown): unknown =>
  isObject(node)
    ? Object.fromEntries(
        Object.entries(node).map(([name, value]) => {
          if (name === 'json') return [name, value]
          if (name === 'list') return [name, (value as unknown[]).map(rewritten)]
          if (!Array.isArray(value)) return [name, [rewritten(value)]]
          const all = value.map(rewritten)
          return [name, isSingle(all) ? all[0] : [...all.toReversed(), ...all.filter((one) => !isObject(one))]]
        }),
      )
    : node

const path = fc
  .array(
    fc.constantFrom(...NAMES.map((name) => `.${name}`), '[*]', '.*', '[0]', '[-1]', '[1]', '[:1]', '[1:]', '[:]'),
    {
      maxLength: 4,
    },
  )
  .map((steps) => `$.credentialSubject${steps.join('')}`)

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const
const filter = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Filter[]>({ const: 'x' }, { const: 1 }, { enum: ['y', 2] }, { pattern: 'x|z' }, { minimum: 2 }),
    fc.record({ type: fc.constantFrom(...TYPES) }),
    fc.record({ not: tie('filter') }),
    fc.record({ contains: tie('filter') }),
    fc.record({ items: tie('filter'), minLength: fc.constantFrom(undefined, 1) }),
  ),
})).filter

test('holder and verifier agree on a field, in whatever form the claims were written', async () => {
  let met = 0
  await fc.assert(
    fc.asyncProperty(subject, fc.array(fc.tuple(path, filter), { minLength: 50, maxLength: 50 }), async (node, all) => {
      const [held, presented] = await Promise.all([read(node), read([rewritten(node)])])
      expect(held).toBeDefined()
      for (const [at, only] of all) {
        const field = { path: [at], filter: only }
        const [one, other] = [held, presented].map((claims) => evaluateField(field, claims, new Work()))
        expect([at, only, other]).toEqual([at, only, one])
        if (one?.satisfied) met++
      }
    }),
    { numRuns: 60 },
  )
  expect(met).toBeGreaterThan(100)
})

test('no value meets a filter and its negation', async () => {
  await fc.assert(
    fc.asyncProperty(subject, fc.array(fc.tuple(path, filter), { minLength: 50, maxLength: 50 }), async (node, all) => {
      const claims = await read(node)
      for (const [at, only] of all) {
        const [met, negated] = [only, { not: only }].map((one) =>
          evaluateField({ path: [at], filter: one }, claims, new Work()),
        )
        const values = new Set(met?.matches.map(({ location, claim }) => JSON.stringify([location, claim.kind])))
        const both = negated?.matches.filter(({ location, claim }) =>
          values.has(JSON.stringify([location, claim.kind])),
        )
        expect([at, only, both]).toEqual([at, only, []])
      }
    }),
    { numRuns: 60 },
  )
})

test('a credential that cannot be read has no claims, and hides no other', async () => {
  const reader = claimsReader(agentContext as never)
  const credential = { '@context': context, type: ['VerifiableCredential'], credentialSubject: { a: 'x' } }
  expect(await reader({ ...credential, '@context': ['https://example.org/gone', context] })).toBeUndefined()
  expect(await reader({ ...credential, unknown: 'x' })).toBeUndefined()
  expect(await reader(credential)).toMatchObject({ credentialSubject: { a: 'x' } })
  expect(await reader({ ...credential, proof: { type: 'Ed25519Signature2018' } })).not.toHaveProperty('proof')
})

test('what is read for one request is bounded, whether or not it can be read', async () => {
  const reader = claimsReader(agentContext as never)
  const small = { '@context': context, type: ['VerifiableCredential'], credentialSubject: { a: 'x' } }
  const large = { ...small, credentialSubject: { a: 'x'.repeat(300_000) } }
  expect(await reader(large)).toBeDefined()
  for (let times = 0; times < 9; times++) await reader({ ...large, '@context': 'https://example.org/gone' })
  expect(await reader(small)).toBeUndefined()
})
