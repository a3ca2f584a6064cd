/** Stores received AnonCreds credentials that match their offer, with qualified ids. */
import {
  fetchCredentialDefinition,
  getQualifiedDidIndyDid,
  isUnqualifiedCredentialDefinitionId,
  isUnqualifiedRevocationRegistryId,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError, JsonEncoder } from '@credo-ts/core'
import { DidCommAttachment, type DidCommCredentialExchangeRecord } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { NotAsOfferedError } from '../index.ts'
import { isInvalidInputError } from './invalid-input-errors.ts'
import { Credential, OfferedIds } from './issuance-messages.ts'
import { assertAnonCredsLoads } from './library.ts'
import { assertReadable } from './resolution.ts'
import { encodedValue } from './values/index.ts'

interface Received {
  attachment: DidCommAttachment
  offerAttachment: DidCommAttachment
  credentialExchangeRecord: DidCommCredentialExchangeRecord
}

/**
 * Stores a credential with `store` if its definition, schema and values are those of the offer. Credo compares only the
 * values. Throws a NotAsOfferedError, and `registry.unavailable` if an object that the credential names cannot be read.
 */
export const storeOffered = async (
  agentContext: AgentContext,
  { attachment, offerAttachment, credentialExchangeRecord }: Received,
  store: (attachment: DidCommAttachment) => Promise<void>,
): Promise<void> => {
  const { success, output: credential } = v.safeParse(Credential, attachment.getDataAsJson(), { abortEarly: true })
  const offer = offerAttachment.getDataAsJson()
  const isOffered =
    success &&
    v.is(OfferedIds, offer) &&
    credential.cred_def_id === offer.cred_def_id &&
    credential.schema_id === offer.schema_id &&
    hasValues(credential, credentialExchangeRecord)
  if (!isOffered) throw new NotAsOfferedError('the credential does not match the offer')
  assertAnonCredsLoads()
  try {
    await assertReadable(agentContext, credential)
    await store(withContent(attachment, await qualified(agentContext, credential)))
  } catch (error) {
    // Credo's own errors are about objects that the credential names, such as a missing revocation registry.
    if (isInvalidInputError(error) || error instanceof CredoError)
      throw new NotAsOfferedError('the credential does not verify', { cause: error })
    throw error
  }
  const { rev_reg_id } = credential
  // A revocation notification uses this id.
  if (rev_reg_id && isUnqualifiedRevocationRegistryId(rev_reg_id))
    credentialExchangeRecord.setTag('anonCredsUnqualifiedRevocationRegistryId', rev_reg_id)
}

/** The attachment with another content, for the library. */
export const withContent = (attachment: DidCommAttachment, content: object): DidCommAttachment =>
  new DidCommAttachment({ ...attachment, data: { base64: JsonEncoder.toBase64(content) } })

/** Converts errors of the library in `act` that the other agent's message causes to a NotAsOfferedError. */
export const withLibraryErrors = async <T>(reason: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw isInvalidInputError(error) ? new NotAsOfferedError(reason, { cause: error }) : error
  }
}

const hasValues = ({ values }: Credential, { credentialAttributes = [] }: DidCommCredentialExchangeRecord): boolean =>
  Object.keys(values).length === credentialAttributes.length &&
  credentialAttributes.every(({ name, value }) => {
    const credentialValue = Object.hasOwn(values, name) ? values[name] : undefined
    return credentialValue?.raw === value && credentialValue.encoded === encodedValue(value)
  })

/**
 * The credential with the qualified ids of its Indy ledger. Credo uses these for tags but stores the unqualified ones,
 * so that only requests with unqualified ids could be answered. The signature does not cover ids.
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
