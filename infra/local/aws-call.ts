/**
 * Calls of the emulators' APIs in AWS's JSON protocol. The stage repeats a few of them all the time, and the SDK would
 * take most of its processor time. https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
 */
import * as v from 'valibot'
import { leanRequestHandler } from '../../lib/store/lean-client.ts'

/** Resolves to the output of the operation. Rejects with an error that has AWS's name, and with an `AbortError`. */
export type AwsCall = (operation: string, input: object, signal?: AbortSignal) => Promise<unknown>

const API = { sqs: 'AmazonSQS', dynamodb: 'DynamoDBStreams_20120810' }

const ATTEMPTS = 3

/** Its type is `ResourceNotFoundException`, or the same after a namespace and `#`. */
const Failure = v.object({ __type: v.string(), message: v.optional(v.string(), '') })

const toError = (body: string): Error => {
  const failure = v.safeParse(v.pipe(v.string(), v.parseJson(), Failure), body)
  if (!failure.success) return new Error(body)
  const { __type, message } = failure.output
  return Object.assign(new Error(message), { name: __type.slice(__type.indexOf('#') + 1) })
}

/** Emulators check no signature, but take no request without these headers, and read the region in them. */
export const unsigned = (region: string) => ({
  'x-amz-date': '20260101T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/${region}/any/aws4_request, SignedHeaders=host, Signature=0`,
})

/** Calls the SQS or the streams of DynamoDB that answer at the endpoint. */
export const awsCall = (endpoint: string, service: keyof typeof API, region: string): AwsCall => {
  const { protocol, host, hostname, port, pathname: path } = new URL(endpoint)
  // A call for messages waits for them.
  const handler = leanRequestHandler({ connectionTimeout: 0, requestTimeout: 0 })
  const origin = { protocol, hostname, path, ...(port !== '' && { port: Number(port) }) }
  const headers = {
    host,
    'content-type': 'application/x-amz-json-1.0',
    ...unsigned(region),
  }
  const post = async (operation: string, body: Buffer, abortSignal: AbortSignal | undefined) => {
    const target = { 'x-amz-target': `${API[service]}.${operation}`, 'content-length': `${body.length}` }
    const request = { ...origin, method: 'POST', headers: { ...headers, ...target }, body }
    const { response } = await handler.handle(request, { abortSignal })
    return { status: response.statusCode, body: Buffer.from(response.body).toString() }
  }
  const call = async (operation: string, body: Buffer, signal?: AbortSignal, attempt = 1): Promise<unknown> => {
    const last = attempt === ATTEMPTS
    const response = await post(operation, body, signal).catch((error) => {
      if (last || signal?.aborted) throw error
    })
    if (response?.status === 200) return JSON.parse(response.body)
    if (response !== undefined && (last || response.status < 500)) throw toError(response.body)
    return call(operation, body, signal, attempt + 1)
  }
  return (operation, input, signal) => call(operation, Buffer.from(JSON.stringify(input)), signal)
}
