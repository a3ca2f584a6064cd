/** A resource of an earlier stack in place of one of the template: every reference stands for what is there. */
import {
  DynamoDBClient,
  ListTagsOfResourceCommand,
  type ListTagsOfResourceCommandOutput,
} from '@aws-sdk/client-dynamodb'
import { expect, test, vi } from 'vitest'
import { findTable, useExisting } from '../../../infra/deployment/existing-data.ts'
import { replaceResource } from '../../../infra/deployment/replace-resource.ts'
import type { Template } from '../../../infra/service.ts'

const template = (): Template => ({
  Resources: {
    Table: { Type: 'AWS::DynamoDB::Table', Properties: {} },
    TableNot: { Type: 'AWS::SQS::Queue', Properties: {}, DependsOn: 'Table' },
    Function: {
      Type: 'AWS::Lambda::Function',
      DependsOn: ['Table', 'Role'],
      Properties: {
        name: { Ref: 'Table' },
        other: { Ref: 'TableNot' },
        arn: { 'Fn::GetAtt': ['Table', 'Arn'] },
        dotted: { 'Fn::GetAtt': 'Table.Arn' },
        list: [{ Deep: { 'Fn::GetAtt': ['Table', 'StreamArn'] } }],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
        index: { 'Fn::Sub': '${Table.Arn}/index/due of ${Table} in ${AWS::Region}' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
        values: { 'Fn::Sub': ['${Table} ${part}', { part: { Ref: 'Table' } }] },
        number: 7,
        nothing: null,
      },
    },
  },
  Outputs: { TableName: { Value: { Ref: 'Table' } } },
})

const KNOWN = { ref: 'old', attributes: { Arn: 'arn:old', StreamArn: 'arn:old/stream' } }

test('it is gone, and so is waiting for it', () => {
  const changed = template()
  replaceResource(changed, 'Table', KNOWN)
  expect(Object.keys(changed.Resources)).toEqual(['TableNot', 'Function'])
  expect(changed.Resources.Function?.DependsOn).toEqual(['Role'])
  expect(changed.Resources.TableNot).not.toHaveProperty('DependsOn')
})

test('each way to refer to it says what is there; nothing else is changed', () => {
  const changed = template()
  replaceResource(changed, 'Table', KNOWN)
  expect(changed.Resources.Function?.Properties).toEqual({
    name: 'old',
    other: { Ref: 'TableNot' },
    arn: 'arn:old',
    dotted: 'arn:old',
    list: [{ Deep: 'arn:old/stream' }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
    index: { 'Fn::Sub': 'arn:old/index/due of old in ${AWS::Region}' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
    values: { 'Fn::Sub': ['old ${part}', { part: 'old' }] },
    number: 7,
    nothing: null,
  })
  expect(changed.Outputs).toEqual({ TableName: { Value: 'old' } })
})

test('an unknown attribute is an error, not a text', () => {
  expect(() => replaceResource(template(), 'Table', { ref: 'old', attributes: { Arn: 'arn:old' } })).toThrow(
    'Table.StreamArn is not known',
  )
})

test('a table and its key are used together', () => {
  const changed = template()
  changed.Resources.SealingKey = { Type: 'AWS::KMS::Key', Properties: {} }
  changed.Resources.Other = { Type: 'AWS::SQS::Queue', Properties: { key: { Ref: 'SealingKey' } } }
  Object.assign(changed.Outputs ?? {}, { SealingKeyArn: { Value: { 'Fn::GetAtt': ['SealingKey', 'Arn'] } } })
  const table = {
    name: 'old',
    arn: 'arn:old',
    streamArn: 'arn:old/stream',
    status: 'ACTIVE',
    indexes: [],
    sealingKey: undefined,
  }
  useExisting(changed, table, 'arn:aws:kms:eu-central-1:123456789012:key/1a')
  expect(Object.keys(changed.Resources)).toEqual(['TableNot', 'Function', 'Other'])
  expect(changed.Resources.Other?.Properties).toEqual({ key: '1a' })
  expect(changed.Outputs).toEqual({
    TableName: { Value: 'old' },
    SealingKeyArn: { Value: 'arn:aws:kms:eu-central-1:123456789012:key/1a' },
  })
})

test('the key of a table is found by its tag among those of an operator, of which DynamoDB answers some at a time', async () => {
  const client = new DynamoDBClient({ region: 'eu-central-1' })
  const pages = new Map<string | undefined, ListTagsOfResourceCommandOutput>([
    [undefined, { Tags: [{ Key: 'team', Value: 'a' }], NextToken: '2', $metadata: {} }],
    ['2', { Tags: [{ Key: 'sealing-key', Value: 'arn:key' }], $metadata: {} }],
  ])
  vi.spyOn(client, 'send').mockImplementation(async (command) =>
    command instanceof ListTagsOfResourceCommand
      ? pages.get(command.input.NextToken)
      : { Table: { TableArn: 'arn:old' } },
  )
  expect(await findTable(client, 'old')).toMatchObject({ arn: 'arn:old', sealingKey: 'arn:key' })
})
