/** The stub in the place of static-eval: what Credo's dependencies hand to it is not evaluated. */
import { createRequire } from 'node:module'
import staticEval from 'static-eval'
import { afterEach, expect, test } from 'vitest'
import { scriptPaths } from '../support/wallets/json-path-attacks.ts'

const ATTACKED = 'attacked'

// As Credo finds it.
const { JSONPath } = createRequire(createRequire(import.meta.url).resolve('@credo-ts/core'))('@astronautlabs/jsonpath')

afterEach(() => {
  Reflect.deleteProperty(globalThis, ATTACKED)
  Reflect.deleteProperty(Object.prototype, 'then')
})

test('it evaluates nothing', () => {
  expect(() => staticEval({ type: 'Literal', value: 1 })).toThrow('not evaluated')
})

test.each(scriptPaths(`globalThis.${ATTACKED}=true`))('a path that %s does nothing', (_, path) => {
  try {
    expect(JSONPath.nodes({ one: 1, two: [2] }, path)).toEqual([])
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
  }
  expect(globalThis).not.toHaveProperty(ATTACKED)
  expect(Object.prototype).not.toHaveProperty('then')
})

test('a path without a script is followed', () => {
  expect(JSONPath.nodes({ one: { two: [3] } }, '$.one.two[0]')).toMatchObject([{ value: 3 }])
})
