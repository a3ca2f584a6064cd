/**
 * Links between operations: which operations take an id from a response.
 * https://spec.openapis.org/oas/v3.1.0#link-object
 */
import { type Contract, type Schema, successOf } from '../interface/contract.ts'
import { OPERATIONS } from '../interface/operations.ts'
import { SHOWN_RECORDS } from '../records/shown-records.ts'
import { TenantRecord } from '../records/tenant.ts'

/** Parameters of other operations, with the runtime expressions of their values. */
type Parameters = Record<string, string>

const ofBody = (parameter: string, pointer: string): Parameters => ({ [parameter]: `$response.body#${pointer}` })

/** By the schema of a response that is a record. */
const OF_RECORDS = new Map<unknown, Parameters>([
  ...SHOWN_RECORDS.flatMap(({ schema, parameter }) => (parameter ? [[schema, ofBody(parameter, '/id')] as const] : [])),
  [TenantRecord, ofBody('orgId', '/orgId')],
])

/** By a member of a response. */
const OF_MEMBERS: Record<string, Parameters> = {
  connectionRecord: ofBody('connectionId', '/connectionRecord/id'),
  outOfBandRecord: ofBody('outOfBandId', '/outOfBandRecord/id'),
  credentialRecordId: ofBody('credentialRecordId', '/credentialRecordId'),
  proofRecordId: ofBody('proofRecordId', '/proofRecordId'),
  schemaId: ofBody('schemaId', '/schemaId'),
  did: ofBody('did', '/did'),
}

const membersOf = (schema: Schema | undefined): string[] =>
  schema !== undefined && 'entries' in schema ? Object.keys(Object(schema.entries)) : []

const inResponseOf = (contract: Contract): Parameters[] => {
  const { schema } = successOf(contract)
  const ofRecord = OF_RECORDS.get(schema)
  return ofRecord ? [ofRecord] : membersOf(schema).flatMap((name) => (OF_MEMBERS[name] ? [OF_MEMBERS[name]] : []))
}

/** Links from the registration of an endpoint. */
const ofEndpoint = ({ path, body }: Contract): Parameters[] => {
  const orgId = path.includes('{orgId}') ? '$request.path.orgId' : '$request.body#/orgId'
  return body === undefined || !path.endsWith('/register') ? [] : [{ orgId, ...ofBody('endpointId', '/data/id') }]
}

/** Whether these are all parameters of the path, and the operation has each of them. */
const hasParameters = ({ parameters: { path, query } = {} }: Contract, names: string[]): boolean => {
  const inPath = membersOf(path)
  const all = [...inPath, ...membersOf(query)]
  return inPath.every((name) => names.includes(name)) && names.every((name) => all.includes(name))
}

/**
 * Links of the success response, by target operation; undefined if there are none, as for operations without a token.
 */
export const linksOf = (contract: Contract): Record<string, object> | undefined => {
  const shown = contract.security === 'none' ? [] : [...inResponseOf(contract), ...ofEndpoint(contract)]
  const links = shown.flatMap((parameters) =>
    OPERATIONS.filter(
      (target) => target !== contract && target.security === 'token' && hasParameters(target, Object.keys(parameters)),
    ).map(({ operationId }) => [operationId, { operationId, parameters }] as const),
  )
  return links.length === 0 ? undefined : Object.fromEntries(links)
}
