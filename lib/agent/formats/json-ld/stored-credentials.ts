/** Reads the stored JSON-LD credentials from which a holder selects some to present. */
import * as v from 'valibot'
import { isNestedDeeperThan, isObject, MAX_DEPTH } from '../../../json.ts'
import type { StoredCredential } from '../../../presentation-exchange/choose-credentials.ts'
import { VERIFIABLE_PROOF_TYPES } from '../../../presentation-exchange/definition.ts'
import type { StoredRecord } from '../../../store/stored-record.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { COMMUNITY_CONTEXTS } from './bundled-contexts.ts'
import type { ClaimsReader } from './claims-reader.ts'
import { withContextAddresses } from './inline-contexts.ts'

const W3C_CREDENTIAL = 'W3cCredentialRecord'

const Texts = v.fallback(v.array(v.string()), [])

/**
 * Credo's record of a credential. AnonCreds credentials are such records too, but have other proofs and cannot be
 * presented as JSON-LD.
 */
const JsonLdRecord = v.object({
  value: v.object({
    credentialInstances: v.looseTuple([
      v.object({
        credential: v.pipe(
          v.custom<Record<string, unknown>>(isObject),
          v.looseObject({ proof: v.looseObject({ type: v.picklist(VERIFIABLE_PROOF_TYPES) }) }),
          v.check((credential) => !isNestedDeeperThan(credential, MAX_DEPTH)),
        ),
      }),
    ]),
  }),
  tags: v.object({ types: Texts, expandedTypes: Texts, schemaIds: Texts, subjectIds: Texts }),
})

/** Addresses of the contexts of a credential, also of inline community contexts: a verifier replaces them as well. */
const addressesIn = (context: unknown): string[] => {
  const { '@context': contexts } = Object(withContextAddresses({ '@context': context }, COMMUNITY_CONTEXTS))
  return [contexts].flat().filter((one) => typeof one === 'string')
}

/** Undefined for a credential in another format. */
const toCredential = (stored: StoredRecord, readClaims: ClaimsReader): StoredCredential | undefined => {
  const read = v.safeParse(JsonLdRecord, stored)
  if (!read.success) return undefined
  const { value, tags } = read.output
  const [{ credential }] = value.credentialInstances
  const contexts = addressesIn(credential['@context'])
  let claims: Promise<unknown> | undefined
  return {
    id: stored.id,
    json: credential,
    claims: () => {
      claims ??= readClaims(credential)
      return claims
    },
    proofType: credential.proof.type,
    subjects: tags.subjectIds,
    schemaNames: new Set([...contexts, ...tags.types, ...tags.expandedTypes, ...tags.schemaIds]),
  }
}

/** The credential of a record; undefined if there is no such record, or its credential is not JSON-LD. */
export const readCredential = async (id: string, readClaims: ClaimsReader): Promise<StoredCredential | undefined> => {
  const unit = currentUnit()
  const stored = await unit.read(unit.tenant, W3C_CREDENTIAL, id)
  return stored && toCredential(stored, readClaims)
}

/** All credentials that have not expired, newest first. */
export const listCredentials = async (readClaims: ClaimsReader): Promise<StoredCredential[]> => {
  const unit = currentUnit()
  const stored = await unit.find(unit.tenant, W3C_CREDENTIAL, {})
  return stored
    .toReversed()
    .map((one) => toCredential(one, readClaims))
    .filter((credential) => credential !== undefined)
    .filter(({ json: { expirationDate, validUntil } }) => !isPast(expirationDate) && !isPast(validUntil))
}

const isPast = (until: unknown): boolean => typeof until === 'string' && Date.parse(until) <= Date.now()
