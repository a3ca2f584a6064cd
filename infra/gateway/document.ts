/**
 * The API as one OpenAPI 3.0.1 document with API Gateway's extensions, which an import makes into paths, methods,
 * authorizers and gateway responses.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
 */
import type { Cors, HttpEvent, Service, TokenAuthorizer } from '../service.ts'
import { preflightHeaders } from './preflight.ts'

/** References to other parts of the template. */
export interface References {
  /** ARN under which the API invokes a function, by its key. */
  arnOf: (functionKey: string) => string
  /** ARN of the role as which it does so. */
  credentials: unknown
}

interface Operation extends HttpEvent {
  functionKey: string
}

export type GatewayDocument = ReturnType<typeof gatewayDocument>

/** `usesKeys`: whether authorized callers are counted by API key. */
export const gatewayDocument = (
  { functions, custom }: Pick<Service, 'functions' | 'custom'>,
  { title, usesKeys }: { title: string; usesKeys: boolean },
  references: References,
) => {
  const operations = Object.entries(functions).flatMap(([functionKey, { events = [] }]) =>
    events.flatMap(({ http }) => (http === undefined ? [] : [{ ...http, path: withSlash(http.path), functionKey }])),
  )
  const authorizers = new Map(
    operations.flatMap(({ authorizer }) => (authorizer ? [[authorizer.name, authorizer]] : [])),
  )
  return {
    openapi: '3.0.1',
    info: { title, version: '1' },
    paths: pathsOf(operations, usesKeys, references),
    components: {
      securitySchemes: {
        ...Object.fromEntries(
          [...authorizers.values()].map((authorizer) => [
            schemeOf(authorizer),
            authorizerScheme(authorizer, references),
          ]),
        ),
        ...(usesKeys && { [API_KEY]: { type: 'apiKey', name: 'x-api-key', in: 'header' } }),
      },
    },
    'x-amazon-apigateway-api-key-source': 'AUTHORIZER',
    // Tails files are bytes, and a caller's `Accept` would have to begin with their type. Bodies come to functions in
    // base64, as they were sent:
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/lambda-proxy-binary-media.html
    'x-amazon-apigateway-binary-media-types': ['*/*'],
    'x-amazon-apigateway-gateway-responses': custom.gatewayResponses,
  }
}

/** API Gateway's name of the security scheme for API keys. */
const API_KEY = 'api_key'

const withSlash = (path: string): string => `/${path.replace(/^\//, '')}`

/**
 * Not the authorizer's own name: a stack of 0.1.0 still has an authorizer of that name while the document is imported.
 */
const schemeOf = ({ name }: TokenAuthorizer): string => `${name}-token`

const authorizerScheme = (authorizer: TokenAuthorizer, { arnOf, credentials }: References) => ({
  type: 'apiKey',
  name: authorizer.identitySource.replace('method.request.header.', ''),
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'token',
    authorizerUri: invocationOf(arnOf(authorizer.name)),
    authorizerCredentials: credentials,
    authorizerResultTtlInSeconds: authorizer.resultTtlInSeconds,
  },
})

const pathsOf = (operations: Operation[], usesKeys: boolean, references: References) =>
  Object.fromEntries(
    [...Map.groupBy(operations, ({ path }) => path)].map(([path, there]) => {
      const [cors] = there.flatMap(({ cors }) => cors ?? [])
      return [
        path,
        {
          ...Object.fromEntries(
            there.map((operation) => [operation.method.toLowerCase(), methodOf(operation, usesKeys, references)]),
          ),
          ...(cors !== undefined && { options: preflightOf(path, cors, there) }),
        },
      ]
    }),
  )

const methodOf = ({ path, functionKey, authorizer }: Operation, usesKeys: boolean, references: References) => ({
  ...parametersOf(path),
  responses: { 200: { description: 'What the function returns' } },
  // A list of two asks for both, as aws/serverless-application-model writes it (samtranslator/swagger/swagger.py).
  ...(authorizer !== undefined && {
    security: [{ [schemeOf(authorizer)]: [] }, ...(usesKeys ? [{ [API_KEY]: [] }] : [])],
  }),
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: invocationOf(references.arnOf(functionKey)),
    credentials: references.credentials,
  },
})

const parametersOf = (path: string) => {
  const names = [...path.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name]) => name)
  return names.length === 0
    ? {}
    : { parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })) }
}

const invocationOf = (arn: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/${arn}/invocations`,
})

const preflightOf = (path: string, cors: Cors, there: Operation[]) => {
  const headers = preflightHeaders(
    cors,
    there.map(({ method }) => method),
  )
  const each = <T>(as: (value: string) => T, prefix = '') =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${prefix}${name}`, as(value)]))
  return {
    ...parametersOf(path),
    responses: { 200: { description: 'Preflight', headers: each(() => ({ schema: { type: 'string' } })) } },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      requestTemplates: { 'application/json': '{"statusCode":200}' },
      // Without it, a body of another type makes a 500 of it: https://github.com/aws/aws-sam-cli/issues/2483
      passthroughBehavior: 'never',
      contentHandling: 'CONVERT_TO_TEXT',
      responses: {
        default: {
          statusCode: '200',
          responseParameters: each((value) => `'${value}'`, 'method.response.header.'),
          responseTemplates: { 'application/json': '' },
        },
      },
    },
  }
}
