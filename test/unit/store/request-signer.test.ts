/** Signatures are those of the SDK's own signer: AWS rejects any other. */
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { expect, test, vi } from 'vitest'
import { requestSigner } from '../../../lib/store/request-signer.ts'

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const region = 'eu-west-1'

const configOf = (credentials: typeof KEYS, ofRegion = region) => ({
  ...{ credentials: async () => credentials, region: async () => ofRegion },
})

type Signer = ReturnType<typeof requestSigner>

const read = new GetItemCommand({ TableName: 'agent', Key: { pk: { S: 'é' } } })
const message = new SendMessageCommand({ QueueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/q', MessageBody: 'hello' })

test.each([
  ['dynamodb', KEYS],
  ['dynamodb', { ...KEYS, sessionToken: 'token' }],
  ['sqs', { ...KEYS, sessionToken: 'token' }],
] as const)('each attempt of a request to %s should be signed as the SDK signs it', async (service, credentials) => {
  // On Lambda the SDK adds the header of a trace, spelled with capitals.
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'function')
  vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-5759e988-bd862e3fe1be46a994272793')
  const ours = requestSigner(() => configOf(credentials), service)
  const client =
    service === 'sqs' ? new SQSClient({ region, credentials }) : new DynamoDBClient({ region, credentials })
  const theirs = await client.config.signer()
  const signed: object[] = []
  const both: Signer = {
    sign: async (request, options) => {
      const expected = await theirs.sign({ ...request, headers: { ...request.headers } }, options)
      const { headers } = await ours.sign(request, options)
      expect(headers).toEqual(expected.headers)
      signed.push({ ...headers })
      return request
    },
  }
  const requestHandler = { handle: () => Promise.reject(Object.assign(new Error('failed'), { name: 'TimeoutError' })) }
  const options = { region, credentials, requestHandler, signer: both, maxAttempts: 2 }
  const sent = service === 'sqs' ? new SQSClient(options).send(message) : new DynamoDBClient(options).send(read)
  await expect(sent).rejects.toThrow('failed')
  expect(signed).toHaveLength(2)
  const authorization = expect.stringContaining(`/${region}/${service}/aws4_request, SignedHeaders=`)
  expect(signed[0]).toMatchObject({ authorization })
})

test('a request should be signed with the credentials, region and day of its time', async () => {
  let config = configOf(KEYS)
  const signer = requestSigner(() => config, 'sqs')
  const request = { protocol: 'https:', hostname: 'h', method: 'POST', path: '/', headers: {}, body: '' }
  const sign = async (signingDate: string) => {
    // Another one remembers no key.
    const [ours, anew] = await Promise.all(
      [signer, requestSigner(() => config, 'sqs')].map(async (one) => {
        const { headers } = await one.sign({ ...request, headers: { host: 'h' } }, { signingDate })
        return headers.authorization
      }),
    )
    expect(ours).toBe(anew)
    return ours
  }
  const time = '2026-01-31T23:59:59.999Z'
  const seen = [await sign(time), await sign('2026-02-01T00:00:00Z')]
  config = configOf(KEYS, 'us-east-1')
  seen.push(await sign(time))
  config = configOf({ ...KEYS, secretAccessKey: 'another' })
  seen.push(await sign(time))
  expect(new Set(seen).size).toBe(4)
  expect(seen[0]).toContain('Credential=AKIDEXAMPLE/20260131/eu-west-1/sqs/aws4_request, SignedHeaders=host;x-amz-c')
  for (const other of [{ path: '/a' }, { method: 'GET' }])
    await expect(signer.sign({ ...request, ...other })).rejects.toThrow('only POST /')
})
