/** The API of a packaged service: the OpenAPI document in its template. */
import * as v from 'valibot'
import type { Resource } from '../../../infra/service.ts'
import { ofType } from './template.ts'

const Operation = v.looseObject({
  parameters: v.exactOptional(v.array(v.looseObject({ name: v.string() }))),
  security: v.exactOptional(v.array(v.record(v.string(), v.array(v.string())))),
  'x-amazon-apigateway-integration': v.looseObject({ type: v.picklist(['aws_proxy', 'mock']) }),
})

const Document = v.looseObject({
  openapi: v.literal('3.0.1'),
  paths: v.record(v.string(), v.record(v.string(), Operation)),
  components: v.object({ securitySchemes: v.record(v.string(), v.unknown()) }),
  'x-amazon-apigateway-gateway-responses': v.record(
    v.string(),
    v.strictObject({
      statusCode: v.number(),
      responseParameters: v.record(v.string(), v.string()),
      responseTemplates: v.strictObject({ 'application/json': v.string() }),
    }),
  ),
})

export type ApiDocument = v.InferOutput<typeof Document>

/** The one API of a template. */
export const apiOf = (resources: Record<string, Resource>): { document: ApiDocument } => {
  const apis = ofType(resources, 'AWS::ApiGateway::RestApi')
  const [[, api] = []] = apis
  if (api === undefined || apis.length > 1) throw new Error(`there are ${apis.length} APIs`)
  return { document: v.parse(Document, api.Properties.Body) }
}

export const methodsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

/** Logical id of a function, by its key. */
export const functionIdOf = (key: string): string =>
  `${key.replace(/^./, (letter) => letter.toUpperCase())}LambdaFunction`
