/**
 * Checks that an offered credential can be signed, by its issuer's key and with all its values, and that this service
 * could verify it.
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
import { assertShowable, assertVerifiable, CREDENTIAL, DOUBLE, irisOf, readStatements, XSD } from './signed-json.ts'

const PATH = 'credentialFormats.jsonld.credential'

/**
 * Throws `request.invalid` for a credential that its issuer can't sign as it is: with terms or types that its contexts
 * do not define or define wrongly, with an unreadable context, with texts that would be signed as other numbers, with
 * names that have one meaning and several values, with blank nodes that take too long to canonicalize, or with an issuer whose DID has no suitable key, or is another by its
 * contexts. And for one that no verifier of this service could verify, because it is too large, is over or has a status;
 * wallets on Credo take the last two from nobody.
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
      throw new CredoError('its contexts make another issuer of the DID, or name one more')
    assertVerifiable(statements)
    assertShowable(statements, budget)
    const merged = await findMergedTerms(document, documentLoader, newCredentialBudget())
    if (merged !== undefined)
      throw new CredoError(`its contexts give "${merged.join('" and "')}" one meaning, and they have several values`)
    // Last: what takes too long to process has been rejected.
    if (quads.includes(DOUBLE_TYPE)) await assertNumbers(document, documentLoader)
  } catch (error) {
    throw invalidField(PATH, signingFault(error))
  }
}

const DOUBLE_TYPE = `${XSD}double`

/** Text with the type of a number, in expanded form. */
const DoubleText = v.object({ '@type': v.literal(DOUBLE_TYPE), '@value': v.string() })

/** Digits of a signed number. */
const DIGITS = 16

/**
 * Throws a CredoError for a text of the type `xsd:double` that is no number, or has more digits than are signed: the
 * processor signs as much of it as JavaScript reads as a number.
 */
const assertNumbers = async (document: unknown, documentLoader: DocumentLoader): Promise<void> => {
  const { expand } = await processor()
  const options = { documentLoader, contextResolver: await contextResolver(), safe: true, base: null }
  const pending: unknown[] = await expand(document, options)
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (v.is(DoubleText, value)) {
      const { '@value': text } = value
      const number = DOUBLE.test(text) ? Number(text) : Number.NaN
      if (!Number.isFinite(number) || Number(number.toPrecision(DIGITS)) !== number)
        throw new CredoError(`a text would be signed as another number: ${text}`)
    } else if (typeof value === 'object' && value !== null) pending.push(...Object.values(value))
  }
}

/**
 * The issuer's verification method for assertions with this type of proof: the named one (a DID URL), or else the
 * first; undefined if there is none.
 * https://www.w3.org/TR/did-core/#assertion
 */
export const findSigningKey = async (
  agentContext: AgentContext,
  issuer: string,
  proofType: string,
  named?: string,
): Promise<string | undefined> => {
  const document = await agentContext.resolve(DidResolverService).resolveDidDocument(agentContext, issuer)
  const methods = (document.assertionMethod ?? []).map((one) =>
    typeof one === 'string' ? document.dereferenceVerificationMethod(one) : one,
  )
  const ids = methods.filter(({ type }) => keyTypesOf(proofType).includes(type)).map(({ id }) => id)
  return named === undefined ? ids[0] : ids.find((id) => id === named)
}

/** An error of the JSON-LD processor: a code of the specification, or the event that stops its safe mode. */
const Failure = v.object({
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

/** What is wrong with a document: https://www.w3.org/TR/json-ld11-api/#jsonlderrorcode */
export const signingFault = (error: unknown): string => {
  // A TypeError comes from the library itself, and means nothing to the caller.
  if (error instanceof TypeError || !v.is(Failure, error)) return 'can not be signed'
  const { code, url, term, event } = error.details ?? {}
  if (code === 'loading remote context failed') return `names a context that can not be read: ${url}`
  if (code === 'protected term redefinition') return `redefines the protected term "${term}"`
  const { property, type } = event?.details ?? {}
  if (property !== undefined) return `has "${property}", which none of its contexts defines`
  if (type !== undefined) return `has the type "${type}", which none of its contexts defines`
  return shortReason(`can not be signed: ${event?.message ?? error.message}`)
}
