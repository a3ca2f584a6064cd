/** Stores received JSON-LD credentials that match the request and are signed by their issuer. */
import { isDeepStrictEqual } from 'node:util'
import {
  type AgentContext,
  CredoError,
  JsonTransformer,
  W3cCredentialRecord,
  W3cCredentialService,
  W3cCredentialsModuleConfig,
  W3cJsonLdCredentialService,
  W3cJsonLdVerifiableCredential,
} from '@credo-ts/core'
import * as v from 'valibot'
import { withReadErrors } from '../../web/index.ts'
import { NotAsOfferedError } from '../index.ts'
import { type CredentialDetail, withPurpose } from './credential-detail.ts'
import { assertIssued, waitForIssuance } from './issuance-date.ts'
import { newBudget } from './rdf.ts'
import { recordingSuites, signedStatements, Verified, type VerifiedQuads } from './signature-suites.ts'
import { CREDENTIAL, irisOf, type Statements, typeIrisOf } from './signed-json.ts'

/** A single proof: one of several could replace another. */
const Proof = v.looseObject({
  type: v.string(),
  proofPurpose: v.string(),
  created: v.optional(v.string()),
  domain: v.optional(v.string()),
  challenge: v.optional(v.string()),
})

const Received = v.looseObject({ '@context': v.array(v.unknown()), proof: Proof })

const Result = v.object({ vcJs: Verified })

/**
 * Verifies and stores a credential. Returns the id of its record. Throws a NotAsOfferedError, a NotYetIssuedError, and
 * `registry.unavailable` if a context or DID document cannot be read.
 */
export const storeReceivedCredential = async (
  agentContext: AgentContext,
  credential: unknown,
  requested: CredentialDetail,
): Promise<string> => {
  if (!v.is(Received, credential) || !isAsRequested(credential, requested))
    throw new NotAsOfferedError('the credential does not match the offer')
  assertIssued(credential.issuanceDate)
  try {
    return await withReadErrors(() => store(agentContext, credential))
  } catch (error) {
    throw error instanceof CredoError
      ? new NotAsOfferedError(`the credential does not verify: ${error.message}`, { cause: error })
      : error
  }
}

const isAsRequested = (
  { proof, ...credential }: v.InferOutput<typeof Received>,
  requested: CredentialDetail,
): boolean => {
  const { options } = withPurpose(requested)
  return (
    isDeepStrictEqual(withoutSingletonLists(credential), withoutSingletonLists(requested.credential)) &&
    proof.type === options.proofType &&
    proof.proofPurpose === options.proofPurpose &&
    proof.domain === options.domain &&
    proof.challenge === options.challenge &&
    (options.created === undefined || proof.created === options.created)
  )
}

/**
 * Replaces arrays of one element by the element: both mean the same (JSON-LD 1.1, section 4.3), and issuers use both.
 */
const withoutSingletonLists = (credential: object): object =>
  Object.fromEntries(
    Object.entries(credential).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length === 1 && name !== '@context' && name !== 'type' ? value[0] : value,
    ]),
  )

const store = async (agentContext: AgentContext, json: object): Promise<string> => {
  const credential = JsonTransformer.fromJSON(json, W3cJsonLdVerifiableCredential)
  const statements = await verify(agentContext, credential)
  const record = W3cCredentialRecord.fromCredential(credential)
  // Otherwise Credo derives the types from the JSON, without a time limit.
  record.setTag('expandedTypes', typeIrisOf(statements))
  const { id } = await agentContext.resolve(W3cCredentialService).storeCredential(agentContext, { record })
  return id
}

const isInValidityPeriod = ({ issuanceDate, expirationDate }: W3cJsonLdVerifiableCredential): boolean =>
  Date.parse(issuanceDate) <= Date.now() && (expirationDate === undefined || Date.parse(expirationDate) >= Date.now())

/** Verifies the issuer's signature. The status is not checked: verifiers do that. */
const verify = async (agentContext: AgentContext, credential: W3cJsonLdVerifiableCredential): Promise<Statements> => {
  await waitForIssuance([credential.issuanceDate])
  const verified: VerifiedQuads = new WeakMap()
  const service = new W3cJsonLdCredentialService(
    recordingSuites(verified, newBudget()),
    agentContext.resolve(W3cCredentialsModuleConfig),
  )
  const { isValid, validations } = await service.verifyCredential(agentContext, {
    credential,
    verifyCredentialStatus: false,
  })
  if (!isValid)
    throw new CredoError(isInValidityPeriod(credential) ? 'its proof is not valid' : 'it is not valid at this time')
  const { vcJs: result } = v.parse(Result, validations)
  const statements = await signedStatements(verified, result, CREDENTIAL)
  const [issuer, another] = irisOf(statements, 'issuer')
  if (issuer !== result.results[0].verificationMethod.controller || another !== undefined)
    throw new CredoError('it is not signed by its issuer')
  return statements
}
