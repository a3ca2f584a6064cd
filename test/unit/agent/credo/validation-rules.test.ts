/** The validation rules of each class are those that class-validator itself collects, whatever is remembered. */
import '../../../../lib/agent/compose.ts'
import { DidCommBasicMessage, DidCommConnectionRequestMessage } from '@credo-ts/didcomm'
import { getMetadataStorage, IsInt, IsString, validateSync } from 'class-validator'
import { expect, test } from 'vitest'
import { cacheValidationRules } from '../../../../lib/agent/credo/validation-rules.ts'

const storage = getMetadataStorage()
const { getTargetValidationMetadatas: collect, groupByPropertyName: group } = Object.getPrototypeOf(storage)
cacheValidationRules()

const OPTIONS = ['', false, false] as const
const rulesOf = (of: new (...args: never[]) => unknown) => storage.getTargetValidationMetadatas(of, ...OPTIONS)

test('all classes of Credo should have the rules that class-validator collects, at the first look and later', () => {
  // biome-ignore lint/complexity/useLiteralKeys: TypeScript allows a private member only so.
  const classes = [...storage['validationMetadatas'].keys()]
  expect(classes.length).toBeGreaterThan(100)
  expect(classes).toContain(DidCommBasicMessage)
  for (const _ of ['first', 'later'])
    for (const of of classes) {
      const collected = collect.call(storage, of, ...OPTIONS)
      const remembered = rulesOf(of)
      expect(remembered.length).toBe(collected.length)
      expect(remembered.every((rule: unknown, index: number) => rule === collected[index])).toBe(true)
      expect(storage.groupByPropertyName(remembered)).toEqual(group.call(storage, collected))
    }
})

test('the rules of a class should be collected once', () => {
  expect(rulesOf(DidCommConnectionRequestMessage)).toBe(rulesOf(DidCommConnectionRequestMessage))
})

test('the rules of a class within another should be collected once, by the name of that other', () => {
  const within = (outer: string) =>
    storage.getTargetValidationMetadatas(DidCommConnectionRequestMessage, outer, false, false)
  for (const outer of ['First', 'Second']) {
    expect(within(outer)).toBe(within(outer))
    expect(within(outer)).toEqual(collect.call(storage, DidCommConnectionRequestMessage, outer, false, false))
  }
})

test('rules that are added later, of the class or of its parent, should be found', () => {
  class Parent {
    first: unknown = 1
  }
  class Child extends Parent {
    second: unknown = 'a'
  }
  const failing = () => validateSync(new Child(), { forbidUnknownValues: false }).map(({ property }) => property)
  IsInt()(Child.prototype, 'second')
  expect(failing()).toEqual(['second'])
  IsString()(Parent.prototype, 'first')
  expect(failing().toSorted()).toEqual(['first', 'second'])
})

test('rules of groups should be those of the groups', () => {
  class Grouped {
    value: unknown = 1
  }
  IsString({ groups: ['a'] })(Grouped.prototype, 'value')
  const failing = (groups: string[]) => validateSync(new Grouped(), { groups }).length
  expect([failing(['b']), failing(['a']), failing(['b'])]).toEqual([1, 1, 1])
  expect(storage.getTargetValidationMetadatas(Grouped, ...OPTIONS, ['a'])).toHaveLength(1)
  expect(storage.getTargetValidationMetadatas(Grouped, ...OPTIONS, ['b'])).toHaveLength(0)
})
