/** Which of its AnonCreds credentials a wallet presents: the first that fits, and one that was not revoked if there is one. */
import type { AnonCredsCredentialsForProofRequest, AnonCredsSelectedCredentials } from '@credo-ts/anoncreds'

export type FoundCredentials = AnonCredsCredentialsForProofRequest

const select = <Found extends { revoked?: boolean }>(
  found: Record<string, Found[]>,
): Record<string, Found> | undefined => {
  const chosen = Object.entries(found).flatMap(([referent, fitting]) => {
    const one = fitting.find(({ revoked }) => revoked !== true) ?? fitting[0]
    return one ? [[referent, one] as const] : []
  })
  return chosen.length === Object.keys(found).length ? Object.fromEntries(chosen) : undefined
}

/** `undefined` if the wallet lacks something requested; it attests nothing itself. */
export const selectAnonCreds = (found: FoundCredentials): AnonCredsSelectedCredentials | undefined => {
  const attributes = select(found.attributes)
  const predicates = select(found.predicates)
  return attributes && predicates && { attributes, predicates, selfAttestedAttributes: {} }
}
