/** The shape of an OpenAPI 3.1 document, as far as this service's document uses it, as a JSON Schema. https://spec.openapis.org/oas/v3.1.0 */
// Every object is closed: a field that the specification does not have there is an error.

const text = { type: 'string', minLength: 1 }
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const closed = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  patternProperties: { '^x-': true },
  additionalProperties: false,
})
const mapOf = (values: object, names = '.') => ({
  type: 'object',
  propertyNames: { pattern: names },
  additionalProperties: values,
})
const reference = closed({ $ref: { type: 'string', pattern: '^#/components/\\w+/\\w+$' } }, ['$ref'])
const orReference = (name: string) => ({ anyOf: [reference, ref(name)] })

/** Section 4.8.7.1: fixed names of components. */
const COMPONENT = '^[a-zA-Z0-9._-]+$'

export const OPENAPI_SHAPE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...closed(
    {
      openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
      jsonSchemaDialect: { const: 'https://json-schema.org/draft/2020-12/schema' },
      info: closed(
        {
          title: text,
          summary: text,
          description: text,
          version: text,
          // `identifier` and `url` exclude each other.
          license: closed({ name: text, identifier: text }, ['name']),
        },
        ['title', 'version'],
      ),
      servers: { type: 'array', minItems: 1, items: closed({ url: { type: 'string', format: 'uri' } }, ['url']) },
      tags: { type: 'array', items: closed({ name: text, description: text }, ['name']) },
      paths: mapOf(ref('pathItem'), '^/'),
      webhooks: mapOf(ref('pathItem')),
      components: ref('components'),
    },
    ['openapi', 'info', 'paths'],
  ),
  $defs: {
    pathItem: closed({
      get: ref('operation'),
      post: ref('operation'),
      put: ref('operation'),
      delete: ref('operation'),
    }),
    operation: closed(
      {
        operationId: text,
        summary: text,
        description: text,
        tags: { type: 'array', items: text },
        security: { type: 'array', items: mapOf({ type: 'array', items: text }) },
        parameters: { type: 'array', items: orReference('parameter'), uniqueItems: true },
        requestBody: closed({ description: text, required: { type: 'boolean' }, content: ref('content') }, ['content']),
        responses: {
          type: 'object',
          minProperties: 1,
          propertyNames: { pattern: '^[1-5](\\d\\d|XX)$' },
          additionalProperties: orReference('response'),
        },
      },
      // The specification leaves these three free; clients are generated from them.
      ['operationId', 'summary', 'responses'],
    ),
    parameter: {
      ...closed(
        {
          name: text,
          in: { enum: ['path', 'query', 'header'] },
          description: text,
          required: { type: 'boolean' },
          schema: ref('schema'),
          example: true,
        },
        ['name', 'in', 'schema'],
      ),
      anyOf: [
        { properties: { in: { enum: ['query', 'header'] } } },
        { properties: { required: { const: true } }, required: ['required'] },
      ],
    },
    response: closed(
      {
        description: text,
        headers: mapOf(orReference('header')),
        content: ref('content'),
        links: mapOf(closed({ operationId: text, parameters: mapOf(text) }, ['operationId'])),
      },
      ['description'],
    ),
    header: closed({ description: text, required: { type: 'boolean' }, schema: ref('schema') }, ['schema']),
    content: {
      ...mapOf(closed({ schema: ref('schema'), example: true }, ['schema']), '^[a-z]+/[a-z0-9.+-]+$'),
      minProperties: 1,
    },
    schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
    components: closed({
      schemas: mapOf(ref('schema'), COMPONENT),
      responses: mapOf(orReference('response'), COMPONENT),
      parameters: mapOf(orReference('parameter'), COMPONENT),
      headers: mapOf(orReference('header'), COMPONENT),
      securitySchemes: mapOf(
        closed({ type: { const: 'http' }, scheme: { const: 'bearer' }, bearerFormat: text, description: text }, [
          'type',
          'scheme',
        ]),
        COMPONENT,
      ),
    }),
  },
}
