/** Between a deployed function and the emulated AWS, which allows everything: denies what the function's deployed role does not allow, as IAM would. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { GetRolePolicyCommand, IAMClient, ListRolePoliciesCommand } from '@aws-sdk/client-iam'
import * as v from 'valibot'
import { LOOPBACK } from '../../infra/local/port.ts'
import { type CommandInput, callsOf, type Service } from '../../infra/roles/aws-calls.ts'
import { allows, type Call, type Statement } from '../../infra/roles/policy.ts'
import type { EmulatedAws } from './emulator.ts'
import type { DeployedFunction } from './functions.ts'

/** By what the header x-amz-target begins with. */
const SERVICES: Record<string, Service> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  TrentService: 'kms',
}

/** The account and region of the emulation, in which all of the stack is. */
const OF_ACCOUNT = 'eu-central-1:123456789012'

/** The ARN of what a request calls by a name, an address or an id. */
const arnOf = (service: Service, resource: string): string => {
  if (resource.startsWith('arn:')) return resource
  const names = { dynamodb: `table/${resource}`, sqs: resource.split('/').at(-1), kms: `key/${resource}` }
  return `arn:aws:${service}:${OF_ACCOUNT}:${names[service]}`
}

const Policy = v.object({
  Statement: v.array(
    v.object({
      Effect: v.literal('Allow'),
      Action: v.array(v.string()),
      Resource: v.unknown(),
      Condition: v.optional(v.record(v.string(), v.record(v.string(), v.union([v.string(), v.array(v.string())])))),
    }),
  ),
})

/** What a role allows, as IAM has it: ARNs in the place of references. */
const statementsOf = async (aws: EmulatedAws, RoleName: string): Promise<Statement[]> => {
  const iam = new IAMClient(aws.clientConfig)
  const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }))
  const documents = await Promise.all(
    PolicyNames.map(async (PolicyName) => {
      const { PolicyDocument = '' } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }))
      return v.parse(Policy, JSON.parse(decodeURIComponent(PolicyDocument)))
    }),
  )
  return documents.flatMap(({ Statement }) =>
    Statement.map(({ Condition, ...statement }) => ({ ...statement, ...(Condition && { Condition }) })),
  )
}

export class RoleProxy implements AsyncDisposable {
  readonly #aws: EmulatedAws
  readonly #statements: Statement[]
  readonly #server: Server
  /** Requests of the function that its role does not allow. */
  readonly denials: string[] = []
  /** Actions that were allowed. */
  readonly made: string[] = []

  private constructor(aws: EmulatedAws, statements: Statement[]) {
    this.#aws = aws
    this.#statements = statements
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        (error) => response.writeHead(500).end(String(error)),
      )
    })
  }

  static async of(aws: EmulatedAws, { role }: DeployedFunction): Promise<RoleProxy> {
    const proxy = new RoleProxy(aws, await statementsOf(aws, role))
    await new Promise<void>((listening) => proxy.#server.listen(0, LOOPBACK, listening))
    return proxy
  }

  get #endpoint(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://${LOOPBACK}:${port}`
  }

  /** What the function has in its environment beside its own. */
  get environment(): Record<string, string> {
    return { ...this.#aws.environment, AWS_ENDPOINT_URL: this.#endpoint }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((closed) => this.#server.close(closed))
  }

  async #answer(request: IncomingMessage) {
    const body = await buffer(request)
    const { 'x-amz-target': target = '', 'content-type': contentType = '', authorization = '' } = request.headers
    const [prefix = '', action = ''] = String(target).split('.')
    const service = SERVICES[prefix]
    // Unknown actions are denied too.
    const calls =
      service === undefined
        ? [{ action: `${target}`, resource: request.url ?? '', context: {} }]
        : callsOf(service, action, JSON.parse(body.toString()) as CommandInput).map((call) => ({
            ...call,
            resource: arnOf(service, call.resource),
          }))
    const refused = calls.filter((call) => !this.#allows(call))
    if (refused.length > 0) {
      for (const { action: what, resource, context } of refused)
        this.denials.push(`${what} on ${resource} ${Object.values(context).flat().join(' ')}`)
      const text = JSON.stringify({ __type: 'AccessDeniedException', message: `not allowed: ${target}` })
      return { status: 400, headers: { 'content-type': contentType }, body: text }
    }
    this.made.push(...calls.map((call) => call.action))
    const headers = { 'x-amz-target': String(target), 'content-type': contentType, authorization }
    const answer = await fetch(`${this.#aws.endpoint}${request.url}`, { method: 'POST', headers, body })
    const { status } = answer
    const kept = ['content-type', 'x-amzn-requestid', 'x-amz-crc32'].flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    return { status, headers: Object.fromEntries(kept), body: Buffer.from(await answer.arrayBuffer()) }
  }

  /** The statements have ARNs as text, which stand for themselves (infra/roles/policy.ts). */
  #allows = ({ resource, ...call }: Call): boolean =>
    allows(this.#statements, { ...call, resource: JSON.stringify(resource) })
}
