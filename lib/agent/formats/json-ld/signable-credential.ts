/**
 * Checks before an offer that the issuer can sign the credential with all its values, and that this service could
 * verify it.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type AgentContext,
  CredoError,
  DidResolverService,
  JsonTransformer,
  W3cCredential,
  W3cCredentialsModuleConfig,
} from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import * as v from 'valibot'
import { invalidField, shortReason } from '../../../errors.ts'
import { contextResolver } from './context-use.ts'
import { findMergedTerms } from './merged-terms.ts'
import { canonicalize, newCredentialBudget, processor, toQuads } from './rdf.ts'
import { keyTypesOf } from './signature-suites.ts'
import {
  assertClaimsWithinLimits,
  assertVerifiable,
  CREDENTIAL,
  DOUBLE_PATTERN,
  irisOf,
  readStatements,
  XSD,
} from './signed-json.ts'

const PATH = 'credentialFormats.jsonld.credential'

/**
 * Throws `request.invalid` if the issuer cannot sign the credential unchanged: terms or types are not or not validly
 * defined, a context cannot be read, a text would be signed as another number, two names of one property have different
 * values, canonicalizing its blank nodes takes too long, the issuer's DID has no suitable key, or the contexts expand
 * `issuer` to something else. Also if this service could not verify the credential, because it is too large, has
 * expired or has a status; wallets on Credo reject the last two as well.
 */
export const assertSignable = async (
  agentContext: AgentContext,
  credential: object,
  { issuer, proofType }: { issuer: string; proofType: string },
): Promise<void> => {
  if ((await findSigningKey(agentContext, issuer, proofType)) === undefined)
    throw invalidField(`${PATH}.issuer`, `has no ${keyTypesOf(proofType).join(' or ')} for assertions`)
  const documentLoader = agentContext.resolve(W3cCredentialsModuleConfig).documentLoader(agentContext)
  try {
    const document = JsonTransformer.toJSON(JsonTransformer.fromJSON(credential, W3cCredential))
    const budget = newCredentialBudget()
    const quads = await toQuads(document, documentLoader, budget)
    await canonicalize(quads, budget)
    const statements = await readStatements(quads, CREDENTIAL)
    if (!isDeepStrictEqual(irisOf(statements, 'issuer'), [issuer]))
      throw new CredoError('its contexts expand the issuer to another IRI, or to several')
    assertVerifiable(statements)
    assertClaimsWithinLimits(statements, budget)
    const merged = await findMergedTerms(document, documentLoader, newCredentialBudget())
    if (merged !== undefined)
      throw new CredoError(`its contexts map "${merged.join('" and "')}" to one property, but their values differ`)
    // Last, because it has no budget: documents that take too long were rejected above.
    if (quads.includes(DOUBLE_TYPE)) await assertNumbers(document, documentLoader)
  } catch (error) {
    throw invalidField(PATH, signingErrorReason(error))
  }
}

const DOUBLE_TYPE = `${XSD}double`

/** A typed text of `xsd:double` in expanded form. */
const DoubleText = v.object({ '@type': v.literal(DOUBLE_TYPE), '@value': v.string() })

/** Significant digits of a double in a quad. */
const SIGNIFICANT_DIGITS = 16

/**
 * Throws a CredoError for a text of the type `xsd:double` that is not a number or has more digits than are signed: the
 * processor signs the number that JavaScript parses from the text.
 */
const assertNumbers = async (document: unknown, documentLoader: DocumentLoader): Promise<void> => {
  const { expand } = await processor()
  const options = { documentLoader, contextResolver: await contextResolver(), safe: true, base: null }
  const pending: unknown[] = await expand(document, options)
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (v.is(DoubleText, value)) {
      const { '@value': text } = value
      const number = DOUBLE_PATTERN.test(text) ? Number(text) : Number.NaN
      if (!Number.isFinite(number) || Number(number.toPrecision(SIGNIFICANT_DIGITS)) !== number)
        throw new CredoError(`a text would be signed as another number: ${text}`)
    } else if (typeof value === 'object' && value !== null) pending.push(...Object.values(value))
  }
}

/**
 * The issuer's assertion method for this type of proof: the one with the id `keyId` (a DID URL), or else the first;
 * undefined if the issuer has none.
 * https://www.w3.org/TR/did-core/#assertion
 */
export const findSigningKey = async (
  agentContext: AgentContext,
  issuer: string,
  proofType: string,
  keyId?: string,
): Promise<string | undefined> => {
  const document = await agentContext.resolve(DidResolverService).resolveDidDocument(agentContext, issuer)
  const methods = (document.assertionMethod ?? []).map((one) =>
    typeof one === 'string' ? document.dereferenceVerificationMethod(one) : one,
  )
  const ids = methods.filter(({ type }) => keyTypesOf(proofType).includes(type)).map(({ id }) => id)
  return keyId === undefined ? ids[0] : ids.find((id) => id === keyId)
}

/** An error of the JSON-LD processor: an error code of the specification, or an event that its safe mode rejects. */
const ProcessorError = v.object({
  message: v.string(),
  details: v.optional(
    v.looseObject({
      code: v.optional(v.string()),
      url: v.optional(v.string()),
      term: v.optional(v.string()),
      event: v.optional(
        v.object({
          message: v.string(),
          details: v.looseObject({ property: v.optional(v.string()), type: v.optional(v.string()) }),
        }),
      ),
    }),
  ),
})

/** The reason why a document cannot be signed: https://www.w3.org/TR/json-ld11-api/#jsonlderrorcode */
export const signingErrorReason = (error: unknown): string => {
  // A TypeError is an internal error of the library.
  if (error instanceof TypeError || !v.is(ProcessorError, error)) return 'cannot be signed'
  const { code, url, term, event } = error.details ?? {}
  if (code === 'loading remote context failed') return `refers to a context that cannot be read: ${url}`
  if (code === 'protected term redefinition') return `redefines the protected term "${term}"`
  const { property, type } = event?.details ?? {}
  if (property !== undefined) return `has "${property}", which none of its contexts defines`
  if (type !== undefined) return `has the type "${type}", which none of its contexts defines`
  return shortReason(`cannot be signed: ${event?.message ?? error.message}`)
}
