/**
 * Reads the claims of a holder's credentials from their RDF statements, as a verifier will. The issuer's JSON may have
 * arrays of one element, repeated values and numbers as text, which its statements do not show.
 */
import { type AgentContext, W3cCredentialsModuleConfig } from '@credo-ts/core'
import { type Budget, newBudget, toQuads } from './rdf.ts'
import { signingErrorReason } from './signable-credential.ts'
import { CREDENTIAL, readStatements, toClaims } from './signed-json.ts'

/** Number of credentials of the maximum size that one request may read: some 600 usual ones, or a few seconds. */
const MAX_LARGE_CREDENTIALS = 8

/** For all credentials of a request. Reading needs no hashes. */
const newReadingBudget = (): Budget => {
  const { statements, quads, characters, terms, bytes } = newBudget()
  return {
    ...{ statements, hashes: 0, quads: quads * MAX_LARGE_CREDENTIALS, characters: characters * MAX_LARGE_CREDENTIALS },
    ...{ terms: terms * MAX_LARGE_CREDENTIALS, bytes: bytes * MAX_LARGE_CREDENTIALS },
  }
}

/** The claims of a credential (see claims.ts); undefined if they cannot be read or the budget is used up. */
export type ClaimsReader = (credential: Readonly<Record<string, unknown>>) => Promise<unknown>

/** A reader for the credentials of one request. `onError` gets the reasons why credentials cannot be read. */
export const claimsReader = (
  agentContext: AgentContext,
  onError: (reason: string) => void = () => {},
): ClaimsReader => {
  const documentLoader = agentContext.resolve(W3cCredentialsModuleConfig).documentLoader(agentContext)
  const budget = newReadingBudget()
  return async ({ proof: _, ...document }) => {
    // Unreadable credentials count too.
    budget.bytes -= Buffer.byteLength(JSON.stringify(document))
    if (Object.values(budget).some((left) => left < 0)) return undefined
    try {
      const statements = await readStatements(await toQuads(document, documentLoader, budget), CREDENTIAL)
      return await toClaims(statements, [document['@context']].flat(), documentLoader, budget)
    } catch (error) {
      // A credential that the libraries cannot read must not prevent the use of the others.
      onError(signingErrorReason(error))
      return undefined
    }
  }
}
