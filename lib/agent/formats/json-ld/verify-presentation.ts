/** Verifies JSON-LD presentations, and returns the signer and the signed claims in the verifier's terms. */
import {
  type AgentContext,
  CredoError,
  JsonTransformer,
  W3cCredentialsModuleConfig,
  W3cJsonLdCredentialService,
  W3cJsonLdVerifiablePresentation,
} from '@credo-ts/core'
import * as v from 'valibot'
import { shortReason } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { toJson } from '../../../presentation-exchange/claims.ts'
import type { Presented, PresentedCredential } from '../../../presentation-exchange/presentation.ts'
import { boundDocumentsOfJsonLd } from '../../web/index.ts'
import { CREDENTIALS_V1 } from './bundled-contexts.ts'
import { definesAnyOf } from './context-documents.ts'
import { waitForIssuance } from './issuance-date.ts'
import { type Budget, newBudget } from './rdf.ts'
import { recordingSuites, signedStatements, Verified, type VerifiedQuads } from './signature-suites.ts'
import {
  assertVerifiable,
  CREDENTIAL,
  datesOf,
  irisOf,
  PRESENTATION,
  type Statements,
  toClaims,
  typeIrisOf,
  vocabularyOf,
} from './signed-json.ts'
import { withTrustedContexts } from './trusted-contexts.ts'
import type { LoadedContexts } from './verifier-contexts.ts'

type Json = Record<string, unknown>

/** A verified credential. */
interface SignedCredential extends PresentedCredential {
  /** The signed document without the proof, in the terms of the verifier's contexts. */
  json: Json
}

interface SignedPresentation extends Presented {
  credentials: SignedCredential[]
}

/** There are at most 50 descriptors with one credential each. */
const MAX_CREDENTIALS = 50

/** A JSON object; valibot's object schemas accept arrays too. */
const JsonObject = v.custom<Json>(isObject)

const OneProof = v.union([JsonObject, v.strictTuple([JsonObject])])

/** Credentials with a status are rejected, because revocation is not checked. */
const Credential = v.pipe(JsonObject, v.looseObject({ proof: OneProof, credentialStatus: v.optional(v.never()) }))

/** Checked before the library verifies: one proof each, because one of several could replace another. */
const Presentation = v.looseObject({
  proof: OneProof,
  verifiableCredential: v.union([v.pipe(v.array(Credential), v.nonEmpty(), v.maxLength(MAX_CREDENTIALS)), Credential]),
})

/** The library's result for a valid presentation. */
const Result = v.object({
  presentationResult: Verified,
  credentialResults: v.array(v.object({ ...Verified.entries, credential: JsonObject })),
})

interface Expected {
  challenge: string
  domain?: string | undefined
  loadedContexts: LoadedContexts
}

/** Throws a CredoError with the reason for the verifier. */
export const verifyPresentation = async (
  agentContext: AgentContext,
  document: unknown,
  { challenge, domain, loadedContexts }: Expected,
): Promise<SignedPresentation> => {
  const shape = v.safeParse(Presentation, document)
  if (!shape.success)
    throw new CredoError(
      v.getDotPath(shape.issues[0])?.startsWith('verifiableCredential')
        ? `expected 1 to ${MAX_CREDENTIALS} credentials, each with one proof and no credentialStatus`
        : 'expected exactly one proof of the presentation',
    )
  const trusted = await withTrustedContexts(document, loadedContexts)
  boundDocumentsOfJsonLd()
  await waitForIssuance([shape.output.verifiableCredential].flat().map(({ issuanceDate }) => issuanceDate))

  const verified: VerifiedQuads = new WeakMap()
  const budget = newBudget()
  const service = new W3cJsonLdCredentialService(
    recordingSuites(verified, budget),
    new W3cCredentialsModuleConfig({ documentLoader: () => loadedContexts.documentLoader }),
  )
  const presentation = parse(trusted)
  const { isValid, validations, error } = await service.verifyPresentation(agentContext, {
    presentation,
    challenge,
    ...(domain !== undefined && { domain }),
  })
  if (!isValid)
    throw new CredoError(`the presentation is not valid: ${reasonOf(validations) ?? reasonOf(error) ?? 'unknown'}`)

  const { presentationResult, credentialResults } = v.parse(Result, Object(validations).vcJs)
  const signer = presentationResult.results[0].verificationMethod.controller
  assertSignedByHolder(signer, await signedStatements(verified, presentationResult, PRESENTATION))
  const credentials: SignedCredential[] = []
  for (const result of credentialResults) {
    const statements = await signedStatements(verified, result, CREDENTIAL)
    assertValidNow(statements, result.results[0].verificationMethod.controller)
    assertSignedBySubject(signer, statements)
    credentials.push(await signedCredential(statements, result, loadedContexts, budget))
  }
  return { signer, proofType: proofTypeOf(presentationResult), credentials }
}

/** Shortens Credo's error, which has a line for each part of an invalid presentation. */
const parse = (document: unknown): W3cJsonLdVerifiablePresentation => {
  try {
    return JsonTransformer.fromJSON(document, W3cJsonLdVerifiablePresentation)
  } catch (error) {
    throw new CredoError(`the presentation is not valid: ${reasonOf(error) ?? 'unknown'}`)
  }
}

const assertSignedByHolder = (signer: string, presentation: Statements): void => {
  const holders = irisOf(presentation, 'holder')
  if (holders.some((holder) => holder !== signer)) throw new CredoError('the presentation is not signed by its holder')
}

/**
 * Repeats the library's checks on the signed statements, because a holder can write a property under an alias, which a
 * check of the JSON does not find.
 */
const assertValidNow = (credential: Statements, signer: string): void => {
  const issuers = irisOf(credential, 'issuer')
  if (issuers.length !== 1 || issuers[0] !== signer) throw new CredoError('a credential is not signed by its issuer')
  assertVerifiable(credential)
  if (!datesOf(credential, 'issuanceDate', 'validFrom').every((date) => date <= Date.now()))
    throw new CredoError('a credential is not valid yet')
}

/**
 * Checks that the signer is one of the credential's subjects. A credential without a subject id is a bearer credential.
 */
const assertSignedBySubject = (signer: string, credential: Statements): void => {
  const subjects = irisOf(credential, 'credentialSubject')
  if (subjects.length > 0 && !subjects.includes(signer))
    throw new CredoError('the signer of the presentation is not the subject of a credential in it')
}

const proofTypeOf = ({ results: [{ proof }] }: Verified): string => String(proof.type)

const signedCredential = async (
  statements: Statements,
  result: v.InferOutput<typeof Result>['credentialResults'][number],
  loadedContexts: LoadedContexts,
  budget: Budget,
): Promise<SignedCredential> => {
  const all = [result.credential['@context']].flat()
  const contexts = new Set(all.filter((one) => typeof one === 'string'))
  const verifierContexts = await loadedContexts.contextsFor(contexts)
  const claims = await toClaims(statements, verifierContexts, loadedContexts.documentLoader, budget)
  const json = toJson(claims) as Json
  const types = [json.type].flat().filter((one) => typeof one === 'string')
  const schemaIds = irisOf(statements, 'credentialSchema')
  // Contexts are not signed: the holder can add one whose terms the credential does not use.
  const vocabulary = vocabularyOf(statements)
  const used = await Promise.all(
    [...contexts].map(async (context) =>
      context === CREDENTIALS_V1 ||
      (await definesAnyOf(all.slice(0, all.indexOf(context) + 1), vocabulary, loadedContexts.documentLoader))
        ? [context]
        : [],
    ),
  )
  return {
    ...{ json, claims },
    proofType: proofTypeOf(result),
    schemaNames: new Set([...used.flat(), ...types, ...typeIrisOf(statements), ...schemaIds]),
  }
}

/** The first message in the library's result, which nests errors in several ways. */
const reasonOf = (result: unknown, depth = 0): string | undefined => {
  if (depth > 6 || typeof result !== 'object' || result === null) return undefined
  if (result instanceof Error && !('errors' in result)) return shortReason(result.message)
  for (const name of ['errors', 'error', 'vcJs', 'presentationResult', 'credentialResults', 'results']) {
    const inner: unknown = Reflect.get(result, name)
    for (const one of Array.isArray(inner) ? inner : [inner]) {
      const reason = reasonOf(one, depth + 1)
      if (reason !== undefined) return reason
    }
  }
  return result instanceof Error ? shortReason(result.message) : undefined
}
