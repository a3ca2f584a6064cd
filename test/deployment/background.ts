/** A tenant with a webhook and an invitation, from deployed functions alone; the test passes on what Lambda would. */
import { strict as assert } from 'node:assert'
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { importJWK, SignJWT } from 'jose'
import type { Principal } from '../../lib/auth/principal.ts'
import { DeployedStage } from './answers.ts'
import { ISSUER, PRIVATE_KEY } from './operator.ts'
import { required } from './step.ts'
import { STACK, type World } from './world.ts'

/** Makes what a tenant's administrator makes, and reads it back. Returns the tenant. */
const asTenant = async (stage: DeployedStage): Promise<string> => {
  const { id } = await stage.created('CreateTenant', { body: { config: { label: 'Faculty' } } })
  const tenantId = String(id)
  const principal: Partial<Principal> = { role: 'RestTenantAgent', tenantId, organizations: { [tenantId]: ['owner'] } }
  const values = { orgId: tenantId }
  const body = { webhookUrl: 'https://receiver.example.org/events' }
  await stage.created('RegisterWebhook', { principal, values, body })
  const [endpoint] = Object.values(await stage.created('GetWebhookEndpoints', { principal, values }))
  const { id: endpointId } = Object(endpoint)
  await stage.created('TestWebhookEndpoint', { principal, values: { ...values, endpointId } })
  const { outOfBandRecord } = await stage.created('CreateInvitation', { principal })
  assert.ok(outOfBandRecord)
  const { statusCode } = await stage.ask('GetConnections', { principal })
  assert.equal(statusCode, 200)
  return tenantId
}

/** The table's items as changes of its stream, each of which has been inserted. */
const changes = async ({ aws, known }: World): Promise<object[]> => {
  const records: object[] = []
  const pages = paginateScan({ client: new DynamoDBClient(aws.clientConfig) }, { TableName: known.table })
  for await (const { Items = [] } of pages)
    for (const NewImage of Items) {
      const Keys = { pk: NewImage.pk, sk: NewImage.sk }
      const dynamodb = { Keys, NewImage, SequenceNumber: String(records.length + 1), ApproximateCreationDateTime: 1 }
      records.push({ eventName: 'INSERT', eventID: `${records.length + 1}`, dynamodb })
    }
  return records
}

/** Messages of a queue, as Lambda hands them to a function. */
const messages = async ({ aws }: World, QueueUrl: string): Promise<object[]> => {
  const sqs = new SQSClient(aws.clientConfig)
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))
  return Messages.map(({ MessageId, Body }) => ({
    ...{ messageId: MessageId, body: Body, attributes: { ApproximateReceiveCount: '1' } },
    ...{ messageAttributes: {}, eventSource: 'aws:sqs' },
  }))
}

const tokenOf = async (): Promise<string> =>
  new SignJWT({ role: 'RestRootAgent' })
    .setProtectedHeader({ alg: 'EdDSA', kid: PRIVATE_KEY.kid })
    .setIssuer(ISSUER)
    .setAudience('serverless-agent')
    .setExpirationTime('1h')
    .sign(await importJWK(PRIVATE_KEY, 'EdDSA'))

/** Each function that is not called over HTTP. */
export const runBackground = async (world: World): Promise<DeployedStage> => {
  const stage = await DeployedStage.of(world.aws, STACK)
  const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:api/prod/GET/connections'
  const authorized = await stage.invoke('authorizer', { authorizationToken: `Bearer ${await tokenOf()}`, methodArn })
  assert.equal(Object(authorized).policyDocument.Statement[0].Effect, 'Allow')
  const tenantId = await asTenant(stage)

  const { WakeUpQueue, SlowWakeUpQueue } = await world.ids()
  assert.deepEqual(await stage.invoke('dispatchChanges', { Records: await changes(world) }), { batchItemFailures: [] })
  const queues = [required(WakeUpQueue, 'queue'), required(SlowWakeUpQueue, 'queue')]
  const wakeUps = (await Promise.all(queues.map((queue) => messages(world, queue)))).flat()
  assert.ok(JSON.stringify(wakeUps).includes(tenantId), 'the lane of the webhook has no wake-up')
  for (const one of wakeUps) {
    assert.deepEqual(await stage.invoke('deliver', { Records: [one] }), { batchItemFailures: [] })
    assert.deepEqual(await stage.invoke('deliverSlowly', { Records: [one] }), { batchItemFailures: [] })
    assert.deepEqual(await stage.invoke('wake', { Records: [one] }), { batchItemFailures: [] })
  }
  for (const [key, type] of [['runJobs', 'pickup-expiry'] as const, ['removeOwned', 'tenant-removal'] as const]) {
    const job = { messageId: 'job', body: JSON.stringify({ job: `${tenantId}|job|${type}|none` }), attributes: {} }
    assert.deepEqual(await stage.invoke(key, { Records: [job] }), { batchItemFailures: [] })
  }
  await stage.invoke('sweepOutbox', {})
  await stage.invoke('confirmIssuerKeys', {})
  return stage
}
