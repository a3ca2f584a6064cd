/** What the plugins and the local stage use of the Serverless Framework's objects: the service as serverless.yml says it. */

/** A reference to another resource of the template. */
export type Reference = { Ref: string } | { 'Fn::GetAtt': [resource: string, attribute: string] }

export interface TokenAuthorizer {
  /** Key of the function that decides. */
  name: string
  /** How long the gateway may keep the decision, in seconds. */
  resultTtlInSeconds: number
}

/** What a browser is told before it calls from another origin. */
export interface Cors {
  origin: string
  headers: string[]
  /** How long a browser may keep the answer, in seconds. */
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
  /** Seconds. */
  timeout?: number
  environment?: Record<string, unknown>
  events?: { http?: HttpEvent; stream?: StreamEvent; sqs?: QueueEvent; schedule?: string }[]
  package?: { artifact?: string }
  /** Logical id of its role; set while packaging. */
  role?: string
}

/** A CloudFormation resource. */
export interface Resource {
  Type: string
  Properties: Record<string, unknown>
  DependsOn?: string[]
}

export interface Service {
  service: string
  custom: {
    /** What the API keys begin with that tenants' rates are counted by. */
    rateKeyPrefix: string
  }
  provider: {
    stage: string
    region: string
    /** Seconds, of a function that says none. */
    timeout: number
    environment: Record<string, unknown>
    /** Set while packaging. */
    compiledCloudFormationTemplate: { Resources: Record<string, Resource> }
  }
  functions: Record<string, FunctionDefinition>
  resources: { Resources: Record<string, Resource> }
}

export interface Serverless {
  /** Folder of serverless.yml. */
  serviceDir: string
  service: Service
  processedInput: { commands: string[] }
  classes: { Error: new (message: string) => Error }
}

/** Path of a handler's module below the service's folder, without extension, and the name of its export. */
export const splitHandler = (handler: string): { module: string; name: string } => {
  const dot = handler.lastIndexOf('.')
  return { module: handler.slice(0, dot), name: handler.slice(dot + 1) }
}
