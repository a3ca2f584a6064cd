/**
 * The records that the API shows, in the order of their events in the OpenAPI document: their schemas, and the names of
 * their ids in paths.
 */
import type * as v from 'valibot'
import { BasicMessageRecord } from './basic-message.ts'
import { CertificateRecord } from './certificate.ts'
import { ConnectionRecord } from './connection.ts'
import { CredentialDefinitionRecord } from './credential-definition.ts'
import { CredentialExchangeRecord } from './credential-exchange.ts'
import type { RecordDefinition } from './define-record.ts'
import { DidRecord } from './did.ts'
import * as kinds from './kinds.ts'
import * as openIdKinds from './openid-kinds.ts'
import { IssuanceSessionRecord, IssuerRecord, StatusRevocationRecord } from './openid4vci.ts'
import { TrustedIssuerRecord, VerificationSessionRecord, VerifierRecord } from './openid4vp.ts'
import { OutOfBandRecord } from './out-of-band.ts'
import { ProofRecord } from './proof.ts'
import { QuestionAnswerRecord } from './question-answer.ts'
import { W3cCredentialRecord } from './w3c-credential.ts'

/** The schema of an object, whose fields can be read. */
export type ObjectSchema = v.GenericSchema & { entries: v.ObjectEntries }

interface ShownRecord extends RecordDefinition {
  schema: ObjectSchema
  /** Name of the schema in the API document; absent: `type`. */
  component?: string
  /** The parameter by which operations take the record's id. */
  parameter?: string
}

export const SHOWN_RECORDS: readonly ShownRecord[] = [
  { ...kinds.connectionRecords, schema: ConnectionRecord, parameter: 'connectionId' },
  {
    ...kinds.credentialRecords,
    schema: CredentialExchangeRecord,
    component: 'CredentialExchangeRecord',
    parameter: 'credentialRecordId',
  },
  { ...kinds.proofRecords, schema: ProofRecord, parameter: 'proofRecordId' },
  { ...kinds.questionAnswerRecords, schema: QuestionAnswerRecord, parameter: 'questionAnswerId' },
  {
    ...kinds.credentialDefinitionRecords,
    schema: CredentialDefinitionRecord,
    parameter: 'credentialDefinitionId',
  },
  { ...kinds.basicMessageRecords, schema: BasicMessageRecord },
  { ...kinds.outOfBandRecords, schema: OutOfBandRecord, parameter: 'outOfBandId' },
  { ...kinds.didRecords, schema: DidRecord },
  { ...kinds.w3cCredentialRecords, schema: W3cCredentialRecord },
  { ...openIdKinds.certificateRecords, schema: CertificateRecord, parameter: 'certificateId' },
  { ...openIdKinds.verifierRecords, schema: VerifierRecord, parameter: 'verifierId' },
  { ...openIdKinds.trustedIssuerRecords, schema: TrustedIssuerRecord, parameter: 'trustedIssuerId' },
  { ...openIdKinds.verificationSessionRecords, schema: VerificationSessionRecord, parameter: 'verificationSessionId' },
  { ...openIdKinds.issuerRecords, schema: IssuerRecord, parameter: 'issuerId' },
  { ...openIdKinds.issuanceSessionRecords, schema: IssuanceSessionRecord, parameter: 'issuanceSessionId' },
  { ...openIdKinds.statusRevocationRecords, schema: StatusRevocationRecord, parameter: 'revocationId' },
]
