/** Links between operations: which operations take an id from an answer. https://spec.openapis.org/oas/v3.1.0#link-object */
import { type Contract, type Schema, successOf } from '../interface/contract.ts'
import { ConnectionRecord } from '../records/connection.ts'
import { CredentialDefinitionRecord } from '../records/credential-definition.ts'
import { CredentialExchangeRecord } from '../records/credential-exchange.ts'
import { OutOfBandRecord } from '../records/out-of-band.ts'
import { ProofRecord } from '../records/proof.ts'
import { QuestionAnswerRecord } from '../records/question-answer.ts'
import { TenantRecord } from '../records/tenant.ts'

/** The parameter for an id, and the operations that have it. */
interface Target {
  parameter: string
  operationIds: readonly string[]
}

const CONNECTION: Target = {
  parameter: 'connectionId',
  operationIds: ['GetConnectionById', 'SendMessage', 'GetBasicMessages', 'SendPing', 'DeleteConnection'],
}
const CREDENTIAL: Target = {
  parameter: 'credentialRecordId',
  operationIds: ['GetCredentialById', 'GetCredentialFormData', 'RevokeCredential'],
}
const PROOF: Target = {
  parameter: 'proofRecordId',
  operationIds: ['GetProofById', 'GetProofFormData', 'AcceptPresentation'],
}
const OUT_OF_BAND: Target = {
  parameter: 'outOfBandId',
  operationIds: ['GetOutOfBandRecordById', 'DeleteOutOfBandRecord', 'GetConnections'],
}
const QUESTION: Target = { parameter: 'questionAnswerId', operationIds: ['GetQuestionAnswerById', 'SendAnswer'] }
const DEFINITION: Target = {
  parameter: 'credentialDefinitionId',
  operationIds: ['GetCredentialDefinitionById'],
}
const ORGANIZATION: Target = { parameter: 'orgId', operationIds: ['RegisterWebhook', 'GetWebhookEndpoints'] }
const ENDPOINT = [
  ...['DeleteWebhookEndpoint', 'RotateWebhookSecret', 'TestWebhookEndpoint', 'EnableWebhookEndpoint'],
  ...['GetWebhookDeliveries', 'ReplayWebhookEvents'],
]

/** The JSON pointer to the id in an answer that is a record. */
const OF_RECORDS = new Map<unknown, [pointer: string, Target]>([
  [ConnectionRecord, ['/id', CONNECTION]],
  [CredentialExchangeRecord, ['/id', CREDENTIAL]],
  [ProofRecord, ['/id', PROOF]],
  [OutOfBandRecord, ['/id', OUT_OF_BAND]],
  [QuestionAnswerRecord, ['/id', QUESTION]],
  [CredentialDefinitionRecord, ['/id', DEFINITION]],
  [TenantRecord, ['/orgId', ORGANIZATION]],
])

/** The JSON pointer to the id in an answer with this member. */
const OF_MEMBERS: Record<string, [pointer: string, Target]> = {
  connectionRecord: ['/connectionRecord/id', CONNECTION],
  outOfBandRecord: ['/outOfBandRecord/id', OUT_OF_BAND],
  credentialRecordId: ['/credentialRecordId', CREDENTIAL],
  proofRecordId: ['/proofRecordId', PROOF],
  schemaId: ['/schemaId', { parameter: 'schemaId', operationIds: ['GetSchemaById'] }],
  did: ['/did', { parameter: 'did', operationIds: ['ResolveDid'] }],
}

const membersOf = (schema: Schema): string[] => ('entries' in schema ? Object.keys(Object(schema.entries)) : [])

const idsIn = (schema: Schema): [pointer: string, Target][] => {
  const ofRecord = OF_RECORDS.get(schema)
  return ofRecord ? [ofRecord] : membersOf(schema).flatMap((name) => (OF_MEMBERS[name] ? [OF_MEMBERS[name]] : []))
}

const linkTo = (operationId: string, parameters: Record<string, string>) => ({
  [operationId]: { operationId, parameters },
})

/** Parameters of links to operations on the endpoint that was registered. */
const endpointLinks = ({ path, body }: Contract) => {
  const orgId = path.includes('{orgId}') ? '$request.path.orgId' : '$request.body#/orgId'
  return body === undefined || !path.endsWith('/register') ? {} : { orgId, endpointId: '$response.body#/data/id' }
}

/** Links of the success answer, by target operation; undefined if there are none. */
export const linksOf = (contract: Contract): Record<string, object> | undefined => {
  // Operations without a token are for people and other agents, who do not use the API.
  const shown = contract.security === 'none' ? [] : idsIn(successOf(contract).schema)
  const ids = shown.flatMap(([pointer, { parameter, operationIds }]) =>
    operationIds
      .filter((operationId) => operationId !== contract.operationId)
      .map((operationId) => linkTo(operationId, { [parameter]: `$response.body#${pointer}` })),
  )
  const endpoint = endpointLinks(contract)
  const links = [...ids, ...('orgId' in endpoint ? ENDPOINT.map((operationId) => linkTo(operationId, endpoint)) : [])]
  return links.length === 0 ? undefined : Object.assign({}, ...links)
}
