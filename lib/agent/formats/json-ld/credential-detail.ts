/** The detail in JSON-LD offers, requests and proposals: a credential and its signature options (Aries RFC 0593, `aries/ld-proof-vc-detail@v1.0`). */
import * as v from 'valibot'
import { findFlaw, hasMoreValuesThan, MAX_DEPTH, MAX_VALUES, UNSAFE_NAMES } from '../../../json.ts'

/** Credo's comparison doubles its time for each level of nesting, its validators take time for each value, and a member `constructor` breaks them. */
const isSmall = (value: unknown): boolean =>
  findFlaw(value, { maxDepth: MAX_DEPTH, forbidden: UNSAFE_NAMES }) === undefined &&
  !hasMoreValuesThan(value, MAX_VALUES)

const Detail = v.looseObject({
  credential: v.looseObject({ credentialSubject: v.unknown() }),
  options: v.looseObject({
    proofType: v.string(),
    proofPurpose: v.optional(v.string()),
    created: v.optional(v.string()),
    domain: v.optional(v.string()),
    challenge: v.optional(v.string()),
  }),
})

export type CredentialDetail = v.InferOutput<typeof Detail>

/** Whether an attachment's content is a detail of acceptable size. */
export const isCredentialDetail = (value: unknown): value is CredentialDetail => isSmall(value) && v.is(Detail, value)

/** Adds the default purpose, which other agents leave out (ACA-Py) or add. */
export const withPurpose = ({ options, ...detail }: CredentialDetail) => ({
  ...detail,
  options: { ...options, proofPurpose: options.proofPurpose ?? 'assertionMethod' },
})

/** The DID of a credential's issuer, if it has one. */
export const issuerOf = ({ issuer }: Record<string, unknown>): string | undefined => {
  if (typeof issuer === 'string') return issuer
  return typeof issuer === 'object' && issuer !== null && 'id' in issuer ? String(issuer.id) : undefined
}
