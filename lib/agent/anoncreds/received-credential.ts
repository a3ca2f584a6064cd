/** Stores issued AnonCreds credentials, if they match their offer, under ids that everybody can resolve. */
import {
  fetchCredentialDefinition,
  getQualifiedDidIndyDid,
  isUnqualifiedCredentialDefinitionId,
  isUnqualifiedRevocationRegistryId,
} from '@credo-ts/anoncreds'
import { type AgentContext, JsonEncoder } from '@credo-ts/core'
import { DidCommAttachment, type DidCommCredentialExchangeRecord } from '@credo-ts/didcomm'
import { AnoncredsError } from '@hyperledger/anoncreds-shared'
import * as v from 'valibot'
import { MAX_OBJECT_ID } from '../../records/anoncreds-objects.ts'
import { NotAsOfferedError } from '../credentials/checks.ts'
import { encodedValue } from './encoded-value.ts'

const Id = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_OBJECT_ID))

export const Offer = v.looseObject({ cred_def_id: Id, schema_id: Id })

const Credential = v.looseObject({
  cred_def_id: v.string(),
  schema_id: v.string(),
  rev_reg_id: v.nullish(v.string()),
  values: v.record(v.string(), v.looseObject({ raw: v.string(), encoded: v.string() })),
})

type Credential = v.InferOutput<typeof Credential>

interface Received {
  attachment: DidCommAttachment
  offerAttachment: DidCommAttachment
  credentialExchangeRecord: DidCommCredentialExchangeRecord
}

/** Stores a credential with `store` if its definition, schema and values are those of the offer. Credo compares only the values. */
export const storeOffered = async (
  agentContext: AgentContext,
  { attachment, offerAttachment, credentialExchangeRecord }: Received,
  store: (attachment: DidCommAttachment) => Promise<void>,
): Promise<void> => {
  const credential = attachment.getDataAsJson()
  const offer = offerAttachment.getDataAsJson()
  const isOffered =
    v.is(Credential, credential) &&
    v.is(Offer, offer) &&
    credential.cred_def_id === offer.cred_def_id &&
    credential.schema_id === offer.schema_id &&
    hasValues(credential, credentialExchangeRecord)
  if (!isOffered) throw new NotAsOfferedError('the credential is not what was offered')
  const data = { base64: JsonEncoder.toBase64(await qualified(agentContext, credential)) }
  await refusedByLibrary('the credential does not verify', () => store(new DidCommAttachment({ ...attachment, data })))
  const { rev_reg_id } = credential
  // A revocation notification uses this id.
  if (rev_reg_id && isUnqualifiedRevocationRegistryId(rev_reg_id))
    credentialExchangeRecord.setTag('anonCredsUnqualifiedRevocationRegistryId', rev_reg_id)
}

/** Errors of the library in `act` are caused by the other agent's message. */
export const refusedByLibrary = async <T>(reason: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw error instanceof AnoncredsError ? new NotAsOfferedError(reason, { cause: error }) : error
  }
}

const hasValues = ({ values }: Credential, { credentialAttributes = [] }: DidCommCredentialExchangeRecord): boolean =>
  Object.keys(values).length === credentialAttributes.length &&
  credentialAttributes.every(({ name, value }) => {
    const held = Object.hasOwn(values, name) ? values[name] : undefined
    return held?.raw === value && held.encoded === encodedValue(value)
  })

/**
 * The credential with the qualified ids of its Indy ledger. Credo uses these for tags but stores the unqualified ones, so that only requests with
 * unqualified ids could be answered. Ids are not part of what is signed.
 */
const qualified = async (agentContext: AgentContext, credential: Credential): Promise<Credential> => {
  const { cred_def_id, schema_id, rev_reg_id } = credential
  if (!isUnqualifiedCredentialDefinitionId(cred_def_id)) return credential
  const { indyNamespace } = await fetchCredentialDefinition(agentContext, cred_def_id)
  const idOf = (id: string): string => getQualifiedDidIndyDid(id, indyNamespace ?? '')
  return {
    ...credential,
    cred_def_id: idOf(cred_def_id),
    schema_id: idOf(schema_id),
    ...(rev_reg_id && { rev_reg_id: idOf(rev_reg_id) }),
  }
}
