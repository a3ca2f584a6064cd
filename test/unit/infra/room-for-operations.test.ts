/**
 * Room for operations: a service with many, and all that a stage can ask for, is one stack that CloudFormation takes.
 */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { LIMITS } from '../../../infra/deployment/checks/template.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { apiOf, methodsOf } from '../../support/stage/api-document.ts'
import { cycleIn } from '../../support/stage/references.ts'
import { ofType, packageChanged } from '../../support/stage/template.ts'

const OPERATIONS_WANTED = 170

/** Parts of paths are resources of the API, of which an account allows 300 unless AWS is asked for more. */
const MAX_PARTS = 280
const MAX_RESOURCES = 480

/** Operations like one that reads, writes, seals and wakes, with a processor of its own, each with one part of a path of its own. */
const furtherOperations = (serviceFile: string, count: number): string => {
  const [, pattern] = /^( {2}createOffer:\n(?: {4}.*\n)+)/m.exec(serviceFile) ?? []
  if (pattern === undefined) throw new Error('serverless.yml has no createOffer')
  return Array.from({ length: count }, (_, index) =>
    pattern
      .replace('createOffer:', `furtherOperation${index}:`)
      .replace('/credentials/create-offer', `/further/operation-${index}`),
  ).join('')
}

test('170 operations with alarms, custom domain, firewall and a rate of tenants are one stack', async () => {
  const serviceFile = await readFile('serverless.yml', 'utf8')
  const count = OPERATIONS_WANTED - OPERATIONS.length
  const further = furtherOperations(serviceFile, count)
  const { resources, templateBytes } = await packageChanged(
    {
      'serverless.yml': serviceFile.replace(/^functions:\n/m, (line) => line + further),
    },
    {
      DOMAIN_NAME: 'agent.example.org',
      CERTIFICATE_ARN: 'arn:aws:acm:eu-central-1:123456789012:certificate/0b1c2d3e',
      HOSTED_ZONE_ID: 'Z0123456789',
      ADDRESS_RATE: '2000',
      TENANT_RATE: '50',
      OPERATION_RATE: '40',
      DIDCOMM_RATE: '20',
      ALARM_EMAIL: 'operators@example.org',
    },
    '--stage',
    'prod',
  )
  const { document } = apiOf(resources)
  const operations = methodsOf(document).filter(({ method }) => method !== 'OPTIONS')
  // One of the operations has two paths, another two methods.
  expect(operations).toHaveLength(OPERATIONS_WANTED + 2)
  for (const type of ['CloudWatch::Alarm', 'ApiGateway::DomainName', 'WAFv2::WebACL', 'SNS::Subscription'])
    expect(ofType(resources, `AWS::${type}`)).not.toEqual([])
  expect(ofType(resources, 'AWS::ApiGateway::ApiKey')).toHaveLength(33)

  // Operations have their rate, other agents theirs.
  const rates = Object(resources.ApiStage?.Properties).MethodSettings
  expect(rates.map((one: Record<string, unknown>) => Number(one.ThrottlingRateLimit))).toEqual([40, 20, 20])
  expect(rates.map((one: Record<string, unknown>) => Number(one.ThrottlingBurstLimit))).toEqual([40, 20, 20])

  const parts = new Set(
    Object.keys(document.paths).flatMap((path) =>
      path.split('/').map((_, index, all) => all.slice(0, index + 1).join('/')),
    ),
  ).size
  const used = Object.keys(resources).length
  console.log(`${OPERATIONS_WANTED} operations: ${parts} parts of paths, ${used} resources, ${templateBytes} bytes`)
  expect(parts).toBeLessThanOrEqual(MAX_PARTS)

  expect(cycleIn(resources)).toBeUndefined()
  const functions = ofType(resources, 'AWS::Lambda::Function').length
  expect(ofType(resources, 'AWS::IAM::Role').length).toBeLessThanOrEqual(functions + 1)
  expect(used).toBeLessThanOrEqual(MAX_RESOURCES)
  expect(templateBytes).toBeLessThanOrEqual(LIMITS.bytes)
})
