/** Checks JSON-LD offers: the issuer must be a DID of this agent, and must be able to sign the credential. */
import type { JsonCredential } from '@credo-ts/didcomm'
import type * as v from 'valibot'
import type { JsonLdOffer } from '../../../interface/credential-offer.ts'
import { isObject } from '../../../json.ts'
import type { TenantAgent } from '../../credo/index.ts'
import { assertOwnDid, issuerDid } from '../../dids/index.ts'
import { issuerOf } from './credential-detail.ts'
import { assertSignable } from './signable-credential.ts'
import { SUITE_CONTEXT_2020 } from './signature-suites.ts'

/** `issuer` may be absent. */
type OfferedJsonLd = v.InferOutput<typeof JsonLdOffer>

/**
 * The offer in Credo's format. Throws `request.invalid` for an issuer other than this agent, and for a credential that
 * cannot be signed.
 */
export const toJsonLdFormat = async (agent: TenantAgent, { credential, options }: OfferedJsonLd, path: string) => {
  const issuer = issuerOf(credential)
  if (issuer !== undefined) await assertOwnDid(agent, issuer, `${path}.credential.issuer`)
  const did = issuer ?? (await issuerDid(agent))
  const withoutLayout = withoutEmptyLayout(credential)
  const offered = { ...withSuiteContext(withoutLayout, options.proofType), issuer: credential.issuer ?? did }
  await assertSignable(agent.context, offered, { issuer: did, proofType: options.proofType })
  return { credential: offered as JsonCredential, options }
}

/**
 * Adds the context that defines Ed25519Signature2020, which the credentials context does not define. It is added to the
 * offer, because the signed credential must equal the offer.
 */
const withSuiteContext = (credential: Record<string, unknown>, proofType: string): Record<string, unknown> => {
  const contexts = [credential['@context']].flat()
  return proofType !== 'Ed25519Signature2020' || contexts.includes(SUITE_CONTEXT_2020)
    ? credential
    : { ...credential, '@context': [...contexts, SUITE_CONTEXT_2020] }
}

/** Removes the empty print layout that CREDEBL sends in bulk offers: no context defines `prettyVc`. */
const withoutEmptyLayout = (credential: Record<string, unknown>): Record<string, unknown> => {
  const { prettyVc, ...others } = credential
  return isObject(prettyVc) && Object.keys(prettyVc).length === 0 ? others : credential
}
