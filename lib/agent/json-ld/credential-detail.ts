/** A credential and how it is to be signed: what an offer, a request and a proposal of JSON-LD hold (Aries RFC 0593, `aries/ld-proof-vc-detail@v1.0`). */
import * as v from 'valibot'
import { findFlaw, hasMoreValuesThan, MAX_DEPTH, MAX_VALUES, UNSAFE_NAMES } from '../../json.ts'

/** Credo's comparison takes twice the time for each level of nesting, and its validators for each value; a member `constructor` breaks them. */
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

/** Whether what an attachment holds is one, and is small enough to be worked with. */
export const isCredentialDetail = (value: unknown): value is CredentialDetail => isSmall(value) && v.is(Detail, value)

/** Other agents leave out what is the default (ACA-Py), or add it. */
export const withPurpose = ({ options, ...detail }: CredentialDetail) => ({
  ...detail,
  options: { ...options, proofPurpose: options.proofPurpose ?? 'assertionMethod' },
})

/** The DID of a credential's issuer, where it names one. */
export const issuerOf = ({ issuer }: Record<string, unknown>): string | undefined => {
  if (typeof issuer === 'string') return issuer
  return typeof issuer === 'object' && issuer !== null && 'id' in issuer ? String(issuer.id) : undefined
}
