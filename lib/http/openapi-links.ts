/** Links between operations: which ones take the id that an answer holds. https://spec.openapis.org/oas/v3.1.0#link-object */
import { type Contract, type Schema, successOf } from '../interface/contract.ts'
import { ConnectionRecord } from '../records/connection.ts'
import { CredentialDefinitionRecord } from '../records/credential-definition.ts'
import { CredentialExchangeRecord } from '../records/credential-exchange.ts'
import { OutOfBandRecord } from '../records/out-of-band.ts'
import { ProofRecord } from '../records/proof.ts'
import { QuestionAnswerRecord } from '../records/question-answer.ts'
import { TenantRecord } from '../records/tenant.ts'

/** The parameter that takes the id of a record, and the operations that have it. */
interface Followed {
  parameter: string
  operationIds: readonly string[]
}

const CONNECTION: Followed = {
  parameter: 'connectionId',
  operationIds: ['GetConnectionById', 'SendMessage', 'GetBasicMessages', 'SendPing', 'DeleteConnection'],
}
const CREDENTIAL: Followed = {
  parameter: 'credentialRecordId',
  operationIds: ['GetCredentialById', 'GetCredentialFormData', 'RevokeCredential'],
}
const PROOF: Followed = {
  parameter: 'proofRecordId',
  operationIds: ['GetProofById', 'GetProofFormData', 'AcceptPresentation'],
}
const OUT_OF_BAND: Followed = {
  parameter: 'outOfBandId',
  operationIds: ['GetOutOfBandRecordById', 'DeleteOutOfBandRecord', 'GetConnections'],
}
const QUESTION: Followed = { parameter: 'questionAnswerId', operationIds: ['GetQuestionAnswerById', 'SendAnswer'] }
const DEFINITION: Followed = {
  parameter: 'credentialDefinitionId',
  operationIds: ['GetCredentialDefinitionById'],
}
const ORGANIZATION: Followed = { parameter: 'orgId', operationIds: ['RegisterWebhook', 'GetWebhookEndpoints'] }
const ENDPOINT = [
  ...['DeleteWebhookEndpoint', 'RotateWebhookSecret', 'TestWebhookEndpoint', 'EnableWebhookEndpoint'],
  ...['GetWebhookDeliveries', 'ReplayWebhookEvents'],
]

/** Where an answer that is a record has an id. */
const OF_RECORDS = new Map<unknown, [pointer: string, Followed]>([
  [ConnectionRecord, ['/id', CONNECTION]],
  [CredentialExchangeRecord, ['/id', CREDENTIAL]],
  [ProofRecord, ['/id', PROOF]],
  [OutOfBandRecord, ['/id', OUT_OF_BAND]],
  [QuestionAnswerRecord, ['/id', QUESTION]],
  [CredentialDefinitionRecord, ['/id', DEFINITION]],
  [TenantRecord, ['/orgId', ORGANIZATION]],
])

/** Where an answer that has this member has one. */
const OF_MEMBERS: Record<string, [pointer: string, Followed]> = {
  connectionRecord: ['/connectionRecord/id', CONNECTION],
  outOfBandRecord: ['/outOfBandRecord/id', OUT_OF_BAND],
  credentialRecordId: ['/credentialRecordId', CREDENTIAL],
  proofRecordId: ['/proofRecordId', PROOF],
  schemaId: ['/schemaId', { parameter: 'schemaId', operationIds: ['GetSchemaById'] }],
  did: ['/did', { parameter: 'did', operationIds: ['ResolveDid'] }],
}

const membersOf = (schema: Schema): string[] => ('entries' in schema ? Object.keys(Object(schema.entries)) : [])

const idsIn = (schema: Schema): [pointer: string, Followed][] => {
  const ofRecord = OF_RECORDS.get(schema)
  return ofRecord ? [ofRecord] : membersOf(schema).flatMap((name) => (OF_MEMBERS[name] ? [OF_MEMBERS[name]] : []))
}

const linkTo = (operationId: string, parameters: Record<string, string>) => ({
  [operationId]: { operationId, parameters },
})

/** The endpoint that was registered, and its organization. */
const endpointLinks = ({ path, body }: Contract) => {
  const orgId = path.includes('{orgId}') ? '$request.path.orgId' : '$request.body#/orgId'
  return body === undefined || !path.endsWith('/register') ? {} : { orgId, endpointId: '$response.body#/data/id' }
}

/** Links of the answer of success, by the operations that they lead to; none: undefined. */
export const linksOf = (contract: Contract): Record<string, object> | undefined => {
  // What is shown without a token is for people, and for other agents.
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
