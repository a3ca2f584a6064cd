/** Contracts of AnonCreds schemas and credential definitions. https://anoncreds.github.io/anoncreds-spec/ */
import * as v from 'valibot'
import {
  AnonCredsCredentialDefinition,
  AnonCredsSchema,
  invalidAttributesReason,
  MAX_ATTRIBUTES,
  MAX_OBJECT_ID,
} from '../records/anoncreds-objects.ts'
import {
  CREDENTIAL_DEFINITION_STATES,
  CredentialDefinitionRecord,
  DEFAULT_REGISTRY_SIZE,
  MAX_REGISTRY_SIZE,
  MIN_REGISTRY_SIZE,
} from '../records/credential-definition.ts'
import { LEDGER_OBJECT_TYPES } from '../records/ledger-object.ts'
import { COMMAND, defineContract, LOOKUP, QUERY } from './contract.ts'
import { exactly, MAX_IN_PATH, Paging, text } from './fields.ts'

const plainText = (max: number) =>
  v.pipe(
    text(max),
    v.check((plain) => plain.isWellFormed() && !/\p{Cc}/u.test(plain), 'must have no control characters'),
  )

/** Id of an object or of its issuer: a DID, a DID URL, or an unqualified id of an Indy ledger. */
const ObjectId = plainText(MAX_OBJECT_ID)
const ObjectInPath = plainText(MAX_IN_PATH)

/** For people. On some ledgers it is part of the object's id. */
const Label = plainText(256)

const Version = v.pipe(v.string(), v.regex(/^[0-9]{1,10}(?:\.[0-9]{1,10}){0,4}$/, 'must be digits and dots, as 1.0'))

const Attributes = v.pipe(
  v.array(Label),
  v.minLength(1),
  v.maxLength(MAX_ATTRIBUTES),
  v.check(
    (names) => invalidAttributesReason(names) === undefined,
    ({ input }) => invalidAttributesReason(input) ?? '',
  ),
)

/**
 * A transaction that the operator of an Indy issuer writes to its ledger: the request without `reqId` and signature.
 */
const LedgerTransaction = v.looseObject({
  namespace: v.string(),
  request: v.looseObject({ identifier: v.string(), protocolVersion: v.number(), operation: v.looseObject({}) }),
})

const Metadata = v.record(v.string(), v.unknown())

/** Clients of credo-controller send these fields when there is no endorser. */
const NOT_ENDORSED = {
  endorse: v.optional(v.literal(false, 'must be false: endorsing is not supported')),
  endorserDid: v.optional(v.literal('', 'must be empty: endorsing is not supported')),
}

export const CreateSchema = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'CreateSchema',
  path: '/anoncreds/schemas',
  summary: 'Publish a schema',
  description:
    '`issuerId` defaults to the did:webvh of the agent; then the schema is published immediately. If the issuer is on an Indy ledger, the state is ' +
    '`action`: its operator must write `ledgerTransaction` to it. The same request returns `finished` once the ledger has exactly this schema. ' +
    'A schema is unique by issuer, name and version: the same request returns it; 409: it exists with other attributes.',
  body: exactly({
    issuerId: v.optional(ObjectId),
    name: Label,
    version: Version,
    attributes: Attributes,
    ...NOT_ENDORSED,
  }),
  responses: {
    200: v.looseObject({
      state: v.picklist(['finished', 'action']),
      schemaId: v.string(),
      schema: AnonCredsSchema,
      ledgerTransaction: v.optional(LedgerTransaction),
    }),
  },
}))

export const GetSchemaById = /* @__PURE__ */ defineContract(() => ({
  ...LOOKUP,
  operationId: 'GetSchemaById',
  path: '/anoncreds/schemas/{schemaId+}',
  summary: 'Retrieve a schema of any issuer by its id',
  description: 'The id may be in the path unchanged, with slashes, or percent-encoded.',
  parameters: { path: v.object({ schemaId: ObjectInPath }) },
  responses: {
    200: v.looseObject({
      schemaId: v.string(),
      schema: AnonCredsSchema,
      resolutionMetadata: Metadata,
      schemaMetadata: Metadata,
    }),
  },
}))

export const CreateCredentialDefinition = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'CreateCredentialDefinition',
  path: '/anoncreds/credential-definitions',
  summary: 'Create a credential definition; its keys are generated in the background',
  description:
    'The state is `wait`, and becomes `finished` or `failed`, with an event `credential_definition.state_changed`. `issuerId` defaults to the ' +
    'did:webvh of the agent. If the issuer is on an Indy ledger, the state is `action` in between: its operator must write the `ledgerObjects` of the ' +
    'definition, and later those of its revocation registries. A definition is unique by issuer, schema and tag: if it exists and has not ' +
    'failed, it is returned. An agent can create 2 at a time and 50 a day.',
  body: exactly({
    schemaId: ObjectId,
    tag: Label,
    issuerId: v.optional(ObjectId),
    supportRevocation: v.optional(v.boolean(), false),
    revocationRegistrySize: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(MIN_REGISTRY_SIZE),
        v.maxValue(MAX_REGISTRY_SIZE),
        v.description(`Only with supportRevocation; ${DEFAULT_REGISTRY_SIZE} if absent.`),
      ),
    ),
    ...NOT_ENDORSED,
  }),
  responses: {
    202: v.looseObject({
      ...CredentialDefinitionRecord.entries,
      /** Only in the state `finished`. */
      credentialDefinition: v.optional(AnonCredsCredentialDefinition),
    }),
  },
}))

export const GetCredentialDefinitions = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'GetCredentialDefinitions',
  path: '/anoncreds/credential-definitions',
  summary: "List the agent's own credential definitions",
  parameters: {
    query: v.object({ state: v.optional(v.picklist(CREDENTIAL_DEFINITION_STATES)), ...Paging.entries }),
  },
  responses: { 200: v.array(CredentialDefinitionRecord) },
}))

export const GetCredentialDefinitionById = /* @__PURE__ */ defineContract(() => ({
  ...LOOKUP,
  operationId: 'GetCredentialDefinitionById',
  path: '/anoncreds/credential-definitions/{credentialDefinitionId+}',
  summary: 'Retrieve a credential definition of any issuer by its id, or one of the agent by the id of its record',
  description:
    'A definition of the agent also has the fields of its record. `ledgerObjects` has the objects that the operator of an Indy issuer must write to the ledger: ' +
    'the definition in state `action`; in state `finished`, for each of its revocation registries the definition (`REVOC_REG_DEF`), the first entry, ' +
    'and an entry (`REVOC_REG_ENTRY`) after each revocation. Each object of a registry is an event ' +
    '`credential_definition.ledger_objects_added`. An object disappears when the ledger has exactly this object; then the next one appears. The id may be in the path unchanged, with slashes, or percent-encoded.',
  parameters: { path: v.object({ credentialDefinitionId: ObjectInPath }) },
  responses: {
    200: v.looseObject({
      // Only of the agent's own definitions.
      ...v.partial(CredentialDefinitionRecord).entries,
      credentialDefinition: v.optional(AnonCredsCredentialDefinition),
      ledgerObjects: v.optional(
        v.array(v.looseObject({ type: v.picklist(LEDGER_OBJECT_TYPES), transaction: LedgerTransaction })),
      ),
      resolutionMetadata: Metadata,
      credentialDefinitionMetadata: Metadata,
    }),
  },
}))
