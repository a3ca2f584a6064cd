/** Whether a credential that is to be offered can be signed at all: by its issuer's key, and with every value that it has. */
import {
  type AgentContext,
  DidResolverService,
  findVerificationMethodByKeyType,
  JsonTransformer,
  W3cCredential,
  W3cCredentialsModuleConfig,
} from '@credo-ts/core'
import * as v from 'valibot'
import { invalidField } from '../errors.ts'
import { canonicalize, newBudget, toQuads } from './json-ld/rdf.ts'

const PATH = 'credentialFormats.jsonld.credential'

/** Kind of key that Ed25519Signature2018 signs with. https://w3c-ccg.github.io/lds-ed25519-2018/ */
const KEY_TYPE = 'Ed25519VerificationKey2018'

/**
 * Throws `request.invalid` for a credential that no signature of its issuer could cover: with a term or type that its contexts do not
 * define, or define against the rules, with a context that can't be read, with blank nodes that take too long to be told apart, or with an
 * issuer whose DID has no key for it.
 */
export const assertSignable = async (agentContext: AgentContext, credential: object, issuer: string): Promise<void> => {
  await assertSigningKey(agentContext, issuer)
  const documentLoader = agentContext.resolve(W3cCredentialsModuleConfig).documentLoader(agentContext)
  try {
    const document = JsonTransformer.toJSON(JsonTransformer.fromJSON(credential, W3cCredential))
    const budget = newBudget()
    await canonicalize(await toQuads(document, documentLoader, budget), budget)
  } catch (error) {
    throw invalidField(PATH, reasonOf(error))
  }
}

/** Throws `request.invalid` where the issuer's DID has no key that Credo could sign with, or none that may assert. */
const assertSigningKey = async (agentContext: AgentContext, issuer: string): Promise<void> => {
  const document = await agentContext.resolve(DidResolverService).resolveDidDocument(agentContext, issuer)
  const method = await findVerificationMethodByKeyType(KEY_TYPE, document)
  const asserts = document.assertionMethod?.some((one) => (typeof one === 'string' ? one : one.id) === method?.id)
  if (method?.publicKeyBase58 === undefined || asserts !== true)
    throw invalidField(`${PATH}.issuer`, `has no ${KEY_TYPE} for assertions`)
}

/** What the JSON-LD processor tells of an error: a code of the specification, or the event that its safe mode stops at. */
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

/** https://www.w3.org/TR/json-ld11-api/#jsonlderrorcode */
const reasonOf = (error: unknown): string => {
  // A TypeError is the library's own, and says nothing to the caller.
  if (error instanceof TypeError || !v.is(Failure, error)) return 'can not be signed'
  const { code, url, term, event } = error.details ?? {}
  if (code === 'loading remote context failed') return `names a context that can not be read: ${url}`
  if (code === 'protected term redefinition') return `redefines the protected term "${term}"`
  const { property, type } = event?.details ?? {}
  if (property !== undefined) return `has "${property}", which none of its contexts defines`
  if (type !== undefined) return `has the type "${type}", which none of its contexts defines`
  return `can not be signed: ${event?.message ?? error.message}`.slice(0, MAX_REASON)
}

/** Characters; an error of the processor may quote what it was given. */
const MAX_REASON = 300
