/** JSON-LD offers: the issuer has to be a DID of this agent, and it has to be possible to sign the credential. */
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
 * The format for Credo. Throws `request.invalid` for an issuer other than this agent, or a credential that can't be
 * signed.
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
 * Adds the context of the proof: the credentials context defines only that of 2018. The offer has to equal what is
 * signed.
 */
const withSuiteContext = (credential: Record<string, unknown>, proofType: string): Record<string, unknown> => {
  const contexts = [credential['@context']].flat()
  return proofType !== 'Ed25519Signature2020' || contexts.includes(SUITE_CONTEXT_2020)
    ? credential
    : { ...credential, '@context': [...contexts, SUITE_CONTEXT_2020] }
}

/** Removes CREDEBL's empty print layout, which it sends with bulk offers: it would need a context to be signed. */
const withoutEmptyLayout = (credential: Record<string, unknown>): Record<string, unknown> => {
  const { prettyVc, ...others } = credential
  return isObject(prettyVc) && Object.keys(prettyVc).length === 0 ? others : credential
}
