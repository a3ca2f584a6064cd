/** The resources refer to what is there, and none waits for itself. */
import { expect, test } from 'vitest'
import type { Resource } from '../../../../infra/service.ts'
import { cycleIn, referencesOf } from '../../../support/stage/references.ts'
import { resources } from './packaged.ts'

test('a cycle is seen, through what refers in any way', () => {
  const of = (Properties: Record<string, unknown>, DependsOn: string[] = []): Resource => ({
    Type: 'Type',
    Properties,
    DependsOn,
  })
  const round = {
    A: of({ x: { 'Fn::Sub': `arn:\${B.Arn}:\${AWS::Region}` } }),
    B: of({ x: [{ 'Fn::GetAtt': ['C', 'Arn'] }] }),
    C: of({}, ['D']),
    D: of({ x: { Ref: 'A' } }),
  }
  expect(cycleIn(round)).toEqual(['A', 'B', 'C', 'D', 'A'])
  expect(cycleIn({ ...round, D: of({}) })).toBeUndefined()
})

test('no resource waits for itself, by way of others', () => {
  expect(cycleIn(resources)).toBeUndefined()
})

test('every reference is to a resource that is there', () => {
  const missing = Object.keys(resources).flatMap((id) =>
    referencesOf(resources, id).filter((other) => resources[other] === undefined && !other.startsWith('AWS::')),
  )
  expect(missing).toEqual([])
})

test('no resource says twice that it waits for another, of which linters warn', () => {
  const twice = Object.entries(resources).flatMap(([id, { DependsOn = [], ...resource }]) => {
    const referred = referencesOf({ [id]: resource }, id)
    return [DependsOn].flat().filter((other) => referred.includes(other))
  })
  expect(twice).toEqual([])
})
