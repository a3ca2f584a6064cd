/** What holds data as it is deployed: kept when the stack goes, without a name that a second try could find taken. */
import { describe, expect, test } from 'vitest'
import type { Resource } from '../../../../infra/service.ts'
import { ofType } from '../../../support/stage/template.ts'
import { grown, named, resources } from './packaged.ts'

const KEPT = ['Table', 'SealingKey']

test.each(KEPT)('%s stays when the stack goes, except in a rollback of its creation', (id) => {
  const { DeletionPolicy, UpdateReplacePolicy } = resources[id] as Resource & { UpdateReplacePolicy?: string }
  expect({ DeletionPolicy, UpdateReplacePolicy }).toEqual({
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
  })
})

test('the key is rotated, can be called back for 30 days, and is the account’s alone', () => {
  expect(resources.SealingKey?.Properties).toMatchObject({ EnableKeyRotation: true, PendingWindowInDays: 30 })
  expect(Object(resources.SealingKey?.Properties.KeyPolicy).Statement).toEqual([
    {
      Effect: 'Allow',
      Principal: { AWS: { 'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:root` } },
      Action: 'kms:*',
      Resource: '*',
    },
  ])
})

test('a first deployment makes a table that its own rollback can delete', () => {
  expect(resources.Table?.Properties).not.toHaveProperty('DeletionProtectionEnabled')
})

test('a tag of the table names the key of its data keys', () => {
  expect(resources.Table?.Properties.Tags).toEqual([
    { Key: 'sealing-key', Value: { 'Fn::GetAtt': ['SealingKey', 'Arn'] } },
  ])
})

describe('no fixed name', () => {
  /** Properties by which a resource would have one. */
  const NAMED = {
    'AWS::DynamoDB::Table': 'TableName',
    'AWS::SQS::Queue': 'QueueName',
    'AWS::Logs::LogGroup': 'LogGroupName',
  }

  test.each(Object.entries(NAMED))('has any %s (%s)', (type, property) => {
    const found = ofType(resources, type)
    expect(found.length).toBeGreaterThan(0)
    for (const [id, { Properties }] of found) {
      const name = Properties[property]
      // Made by CloudFormation, or with a part of the stack's id.
      if (name !== undefined)
        expect({ id, name: JSON.stringify(name) }).toEqual({ id, name: expect.stringContaining('AWS::StackId') })
    }
  })

  test('has the key: an alias is of the account, and could be taken', () => {
    expect(ofType(resources, 'AWS::KMS::Alias')).toEqual([])
  })

  test('has what the authorizer calls a tenant’s API key', () => {
    const { RATE_KEY_PREFIX } = Object(grown.resources.AuthorizerLambdaFunction?.Properties).Environment.Variables
    expect(JSON.stringify(RATE_KEY_PREFIX)).toContain('AWS::StackId')
    const keys = ofType(grown.resources, 'AWS::ApiGateway::ApiKey')
    expect(keys.length).toBeGreaterThan(0)
    for (const [, { Properties }] of keys) expect(Object(Properties.Value)['Fn::Join'][1][0]).toEqual(RATE_KEY_PREFIX)
  })
})

test('a table has the name that it is set to keep', () => {
  expect(named.resources.Table?.Properties.TableName).toBe('serverless-agent-dev')
})
