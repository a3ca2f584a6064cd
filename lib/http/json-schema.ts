/**
 * Converts schemas of the contracts to JSON Schema 2020-12, the dialect of OpenAPI 3.1. Records and the error body are
 * components.
 */
import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { AnonCredsProofRequest, IndyProofRequest } from '../interface/anoncreds-proof-request.ts'
import { ErrorBody, type Schema, successOf } from '../interface/contract.ts'
import { Limit, MAX_PAGE } from '../interface/fields.ts'
import { JsonLdCredential } from '../interface/json-ld-credential.ts'
import { OPERATIONS } from '../interface/operations.ts'
import { PresentationDefinition } from '../interface/presentation-definition.ts'
import { Filter } from '../interface/presentation-filter.ts'
import { ProofRequestResult } from '../interface/proof-request.ts'
import { SubmissionRequirement } from '../interface/submission-requirement.ts'
import { EVENT_TYPES, eventBodies } from '../interface/webhook-events.ts'
import { AnonCredsCredentialDefinition, AnonCredsSchema } from '../records/anoncreds-objects.ts'
import { DidDocument } from '../records/did.ts'
import { OutOfBandMessage } from '../records/invitation-message.ts'
import { ProofFormData } from '../records/proof.ts'
import { NotificationRegistrationResult, WebhookRegistrationResult } from '../records/registration.ts'
import { SHOWN_RECORDS } from '../records/shown-records.ts'
import { TenantRecord } from '../records/tenant.ts'

/** Schemas that become components of the document. */
const COMPONENTS = {
  ...Object.fromEntries(SHOWN_RECORDS.map(({ schema, type, component = type }) => [component, schema])),
  DidDocument,
  ProofFormData,
  AnonCredsSchema,
  AnonCredsCredentialDefinition,
  TenantRecord,
  ProofRequestResult,
  NotificationRegistrationResult,
  WebhookRegistrationResult,
  AnonCredsProofRequest,
  IndyProofRequest,
  PresentationDefinition,
  PresentationFilter: Filter,
  SubmissionRequirement,
  JsonLdCredential,
  Error: ErrorBody,
}

/**
 * Actions of schemas that JSON Schema cannot express, such as checks and transformations. Only the pipeline runs them.
 */
const NOT_EXPRESSED = ['check', 'raw_check', 'transform']

const CONFIG: ConversionConfig = {
  target: 'draft-2020-12',
  // The last schema of a pipe is the relevant one. The one before only rejects arrays.
  typeMode: 'output',
  ignoreActions: NOT_EXPRESSED,
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideAction: ({ valibotAction, jsonSchema: { pattern: _, ...jsonSchema } }) =>
    valibotAction.type === 'includes' && jsonSchema.type === 'array' && 'requirement' in valibotAction
      ? { ...jsonSchema, contains: { const: String(valibotAction.requirement) } }
      : undefined,
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    // In a query it is a text that is converted to a number.
    if ('wrapped' in valibotSchema && valibotSchema.wrapped === Limit)
      return { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE }
    // Client generators write broken code for a boolean constant, and treat one without a type as nullable.
    if (typeof jsonSchema.const === 'boolean') return { type: 'boolean' }
    if (valibotSchema.type === 'literal') return { type: typeof jsonSchema.const, ...jsonSchema } as JsonSchema
    // Such a schema accepts unknown members and removes them.
    if (valibotSchema.type === 'object') {
      const properties = { ...jsonSchema.properties }
      // Accepted beside goal_code, but generated code would have the name twice.
      if (valibotSchema === OutOfBandMessage) delete properties.goalCode
      return { ...jsonSchema, properties, additionalProperties: true }
    }
    const isClosed = 'rest' in valibotSchema && Object(valibotSchema.rest).type === 'never'
    return isClosed ? { ...jsonSchema, additionalProperties: false } : undefined
  },
}

/** `components.schemas` of the document. */
export const componentSchemas = (): Record<string, JsonSchema> => toJsonSchemaDefs(COMPONENTS, CONFIG)

/** All schemas of the contracts and of the events, in one conversion: each converts all components too. */
const convertAll = (): ReadonlyMap<Schema, JsonSchema> => {
  const schemas = [
    ...OPERATIONS.flatMap(({ parameters = {}, body }) => [...Object.values(parameters), body]),
    ...OPERATIONS.map(successOf).flatMap(({ status, schema }) => (status === 204 ? undefined : schema)),
    ...EVENT_TYPES.map(eventBodies).flatMap(({ webhook, notification }) => [webhook, notification]),
  ].filter((schema) => schema !== undefined)
  const { prefixItems = [] } = toJsonSchema(v.tuple(schemas), { ...CONFIG, definitions: COMPONENTS })
  return new Map(schemas.map((schema, index) => [schema, prefixItems[index] as JsonSchema]))
}

let converted: ReturnType<typeof convertAll> | undefined

/** A schema of a contract or an event, in the document: with references to the components. */
export const schemaOf = (schema: Schema): JsonSchema => {
  converted ??= convertAll()
  const found = converted.get(schema)
  if (found === undefined) throw new TypeError('the schema belongs to no contract or event')
  return found
}

interface ParameterField {
  name: string
  required: boolean
  schema: JsonSchema
}

const isObjectSchema = (schema: Schema): schema is v.ObjectSchema<v.ObjectEntries, undefined> =>
  schema.type === 'object'

/** The fields of an object schema: the parameters of a path or a query. */
export const fieldsOf = (schema: Schema | undefined): ParameterField[] => {
  if (schema === undefined || !isObjectSchema(schema)) return []
  const { properties = {} } = schemaOf(schema)
  return Object.entries(schema.entries).map(([name, { type }]) => ({
    name,
    required: type !== 'optional',
    schema: properties[name] as JsonSchema,
  }))
}
