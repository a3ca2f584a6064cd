/**
 * Types of the Serverless Framework's objects, as far as the plugins and the local stage use them: the service as
 * serverless.yml describes it.
 */
import type { STSClientConfig } from '@aws-sdk/client-sts'
import type { Finding } from './deployment/finding.ts'

/** A reference to another resource of the template. */
export type Reference = { Ref: string } | { 'Fn::GetAtt': [resource: string, attribute: string] }

export interface TokenAuthorizer {
  /** Key of the authorizer's function. */
  name: string
  /** `method.request.header.` and the name of the header that has the token. */
  identitySource: string
  /** How long the gateway may cache the result, in seconds. */
  resultTtlInSeconds: number
}

/** Response to a browser's preflight request. */
export interface Cors {
  origin: string
  headers: string[]
  /** How long a browser may cache the response, in seconds. */
  maxAge: number
}

export interface HttpEvent {
  method: string
  path: string
  cors?: Cors
  authorizer?: TokenAuthorizer
}

export interface StreamEvent {
  arn: Reference
  batchSize?: number
  filterPatterns?: unknown[]
  functionResponseType?: string
  bisectBatchOnFunctionError?: boolean
  maximumRetryAttempts?: number
  destinations?: { onFailure: { arn: Reference } }
}

export interface QueueEvent {
  arn: Reference
  batchSize?: number
  functionResponseType?: string
  maximumConcurrency?: number
}

export interface FunctionDefinition {
  /** Name of the Lambda function. */
  name: string
  /** `folder/file.export`. */
  handler: string
  /** Its permissions: infra/access/permissions.ts. */
  permissions: string[]
  /** Seconds. */
  timeout?: number
  environment?: Record<string, unknown>
  events?: { http?: HttpEvent; stream?: StreamEvent; sqs?: QueueEvent; schedule?: string }[]
  package?: { artifact?: string }
  /** Logical id of its role; set while packaging. */
  role?: string
  /** Settings that are zipped with the code, by their names (infra/plugins/packed-settings.ts). */
  packed?: Record<string, unknown>
}

/** A response of the gateway itself, as its OpenAPI extension describes it. */
export interface GatewayResponse {
  statusCode: number
  responseParameters: Record<string, string>
  responseTemplates: { 'application/json': string }
}

/** A CloudFormation resource. */
export interface Resource {
  Type: string
  Properties: Record<string, unknown>
  DependsOn?: string | string[]
  DeletionPolicy?: string
}

export interface Template {
  Metadata?: Record<string, unknown>
  Resources: Record<string, Resource>
  Outputs: Record<string, { Value: unknown }>
}

export const ofType = (resources: Record<string, Resource>, type: string): [id: string, resource: Resource][] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Resource and attribute of a `Fn::GetAtt`; undefined if the value is not such a reference. */
export const getAttOf = (value: unknown): [resource: string, attribute: string] | undefined => {
  const named: unknown = isObject(value) ? value['Fn::GetAtt'] : undefined
  if (!Array.isArray(named)) return undefined
  const [resource, attribute]: unknown[] = named
  return typeof resource === 'string' && typeof attribute === 'string' ? [resource, attribute] : undefined
}

/** The variables of a function's environment, which the caller may change. */
export const variablesOf = ({ Properties: { Environment } }: Resource): Record<string, unknown> =>
  isObject(Environment) && isObject(Environment.Variables) ? Environment.Variables : {}

export interface Service {
  service: string
  custom: {
    /** Prefix of the API keys that count tenants' requests: an expression of the template. */
    rateKeyPrefix: unknown
    /** Concurrent functions that the account allows; set by a deployment (infra/plugins/deployment.ts). */
    accountConcurrency?: number
    /** Findings of packaging about the keys of token issuers (infra/plugins/packed-settings.ts). */
    issuerFindings?: Finding[]
    /** Address of the API without a domain: an expression of the template. */
    stageUrl: unknown
    /** infra/gateway-responses.yml, by type. */
    gatewayResponses: Record<string, GatewayResponse>
  }
  provider: {
    /** Processor of the functions. */
    architecture: string
    stage: string
    region: string
    /** Default timeout of functions in seconds. */
    timeout: number
    environment: Record<string, unknown>
    /** Set while packaging. */
    compiledCloudFormationTemplate: Template
  }
  functions: Record<string, FunctionDefinition>
  resources: { Resources: Record<string, Resource> }
}

/** Configuration for the clients of the AWS SDK. */
export type ClientConfig = Pick<STSClientConfig, 'credentials' | 'endpoint'> & { region: string }

interface AwsProvider {
  naming: { getLambdaLogicalId(functionKey: string): string; getStackName(): string }
  getAwsSdkV3Config(): Promise<ClientConfig>
}

export interface Serverless {
  /** Folder of serverless.yml. */
  serviceDir: string
  service: Service
  processedInput: { commands: string[] }
  pluginManager: { spawn(command: string): Promise<void> }
  getProvider(name: 'aws'): AwsProvider
  configSchemaHandler: { defineFunctionProperties(provider: 'aws', schema: object): void }
  classes: { Error: new (message: string) => Error }
}

/** The third argument of a plugin's constructor. */
export interface PluginTools {
  log: { warning(line: string): void }
}

/** Runs `run`. Its error becomes an error of Serverless, which is shown without a stack trace. */
export const withServerlessErrors = <T>({ classes }: Pick<Serverless, 'classes'>, run: () => T): T => {
  try {
    return run()
  } catch (error) {
    throw new classes.Error(error instanceof Error ? error.message : String(error))
  }
}

/** Path of a handler's module below the service's folder, without extension, and the name of its export. */
export const splitHandler = (handler: string): { module: string; name: string } => {
  const dot = handler.lastIndexOf('.')
  return { module: handler.slice(0, dot), name: handler.slice(dot + 1) }
}
