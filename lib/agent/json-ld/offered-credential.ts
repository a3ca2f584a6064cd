/** JSON-LD credentials that this agent offers: of a DID of its own, and such that they can be signed. */
import type { JsonCredential } from '@credo-ts/didcomm'
import { isObject } from '../../json.ts'
import type { TenantAgent } from '../agent.ts'
import { assertOwnDid, issuerDid } from '../dids.ts'
import { assertSignable } from '../signable-credential.ts'
import { issuerOf } from './credential-detail.ts'
import { SUITE_CONTEXT_2020 } from './ed25519-signature-2020.ts'

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
  const said = withoutEmptyLayout(credential)
  const offered = { ...withSuiteContext(said, options.proofType), issuer: credential.issuer ?? did }
  await assertSignable(agent.context, offered, { issuer: did, proofType: options.proofType })
  return { credential: offered as JsonCredential, options }
}

/** The credentials context defines the proof of 2018 only. What is offered is what is signed, so the context is in the offer. */
const withSuiteContext = (credential: Record<string, unknown>, proofType: string): Record<string, unknown> => {
  const contexts = [credential['@context']].flat()
  return proofType !== 'Ed25519Signature2020' || contexts.includes(SUITE_CONTEXT_2020)
    ? credential
    : { ...credential, '@context': [...contexts, SUITE_CONTEXT_2020] }
}

/** CREDEBL's print layout, which it sends with every offer for many, empty where there is none. What says nothing needs no context. */
const withoutEmptyLayout = (credential: Record<string, unknown>): Record<string, unknown> => {
  const { prettyVc, ...others } = credential
  return isObject(prettyVc) && Object.keys(prettyVc).length === 0 ? others : credential
}
