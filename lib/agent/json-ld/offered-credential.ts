/** JSON-LD credentials that this agent offers: of a DID of its own, and such that they can be signed. */
import type { JsonCredential } from '@credo-ts/didcomm'
import type { TenantAgent } from '../agent.ts'
import { assertOwnDid, issuerDid } from '../dids.ts'
import { assertSignable } from '../signable-credential.ts'

export interface OfferedJsonLd {
  /** A credential of W3C VC data model 1.1 without proof; `issuer` may be absent. */
  credential: Record<string, unknown>
  options: { proofType: string; proofPurpose: string }
}

/** The format as Credo takes it. Throws `request.invalid` for an issuer that is not this agent or a credential that can't be signed. */
export const toJsonLdFormat = async (agent: TenantAgent, { credential, options }: OfferedJsonLd, path: string) => {
  const named = issuerOf(credential)
  if (named !== undefined) await assertOwnDid(agent, named, `${path}.credential.issuer`)
  const did = named ?? (await issuerDid(agent))
  const offered = { ...credential, issuer: credential.issuer ?? did }
  await assertSignable(agent.context, offered, did)
  return { credential: offered as JsonCredential, options }
}

const issuerOf = ({ issuer }: Record<string, unknown>): string | undefined => {
  if (typeof issuer === 'string') return issuer
  return typeof issuer === 'object' && issuer !== null && 'id' in issuer ? String(issuer.id) : undefined
}
