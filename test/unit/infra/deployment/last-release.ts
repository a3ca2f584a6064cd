/**
 * What an update of a stack of the last release may never do: give what holds data, the address or a function another
 * identity.
 */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { ofType } from '../../../support/stage/template.ts'
import { named } from './packaged.ts'

/**
 * Of the release's template: the ids of what must stay, and the properties of which CloudFormation's reference says
 * that another value makes another resource. With a release, it is written anew.
 */
const Fixture = v.object({
  release: v.string(),
  resources: v.record(v.string(), v.object({ Type: v.string(), Properties: v.record(v.string(), v.unknown()) })),
})

const { release, resources: released } = v.parse(
  Fixture,
  JSON.parse(readFileSync('test/unit/infra/deployment/last-release.json', 'utf8')),
)

const { resources } = named

/** Gone on purpose. ADR 17: what waited in these queues waits in the table, which other functions see to. */
const GONE = [
  ...['MessageQueue', 'MessageDeadLetters', 'WebhookQueue', 'WebhookDeadLetterQueue', 'RelayFailures'],
  ...['RelayChangesLambdaFunction', 'DeliverMessageLambdaFunction', 'DeliverWebhookLambdaFunction'],
]

const kept = Object.entries(released).filter(([id]) => !GONE.includes(id))

test('nothing of the last release is gone but what is said to be', () => {
  expect(Object.keys(released).filter((id) => resources[id] === undefined)).toEqual(GONE.toSorted())
})

test.each(['Table', 'SealingKey', 'ApiGatewayRestApi', 'ApiStage'])(
  'the last release has %s, as tenants know it',
  (id) => {
    expect(kept.map(([one]) => one)).toContain(id)
  },
)

describe(`an update from ${release} keeps`, () => {
  test.each(kept)('%s', (id, { Type, Properties }) => {
    const resource = resources[id]
    expect(resource?.Type).toBe(Type)
    const names = Object.keys(Properties)
    expect(Object.fromEntries(names.map((name) => [name, resource?.Properties[name]]))).toEqual(Properties)
  })
})

test('an account has one of each function: no two have one name', () => {
  const names = ofType(resources, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties.FunctionName)
  expect(new Set(names).size).toBe(names.length)
})
