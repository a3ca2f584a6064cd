/**
 * Reads held credentials as a verifier will: from their statements. The JSON in which an issuer wrote them has lists of
 * one, repeated values and numbers in texts, of which no verifier knows.
 */
import { type AgentContext, W3cCredentialsModuleConfig } from '@credo-ts/core'
import { type Budget, newBudget, toQuads } from './rdf.ts'
import { signingFault } from './signable-credential.ts'
import { CREDENTIAL, readStatements, toClaims } from './signed-json.ts'

/** Credentials of the largest size that are read for one request: some 600 usual ones, or a few seconds at most. */
const MAX_LARGE = 8

/** For all credentials of a request. Nothing is hashed. */
const newReadingBudget = (): Budget => {
  const { statements, quads, characters, terms, bytes } = newBudget()
  return {
    ...{ statements, hashed: 0, quads: quads * MAX_LARGE, characters: characters * MAX_LARGE },
    ...{ terms: terms * MAX_LARGE, bytes: bytes * MAX_LARGE },
  }
}

/** The claims of a credential (see claims.ts); undefined if they can't be read, or take too much work. */
export type ClaimsReader = (credential: Readonly<Record<string, unknown>>) => Promise<unknown>

/** A reader for the credentials of one request. `onFault` gets the reasons why credentials can't be read. */
export const claimsReader = (
  agentContext: AgentContext,
  onFault: (reason: string) => void = () => {},
): ClaimsReader => {
  const documentLoader = agentContext.resolve(W3cCredentialsModuleConfig).documentLoader(agentContext)
  const budget = newReadingBudget()
  return async ({ proof: _, ...document }) => {
    // Also of those that turn out not to be readable.
    budget.bytes -= Buffer.byteLength(JSON.stringify(document))
    if (Object.values(budget).some((left) => left < 0)) return undefined
    try {
      const statements = await readStatements(await toQuads(document, documentLoader, budget), CREDENTIAL)
      return await toClaims(statements, [document['@context']].flat(), documentLoader, budget)
    } catch (error) {
      // Issuers write what libraries fail on. It must not hide the other credentials.
      onFault(signingFault(error))
      return undefined
    }
  }
}
