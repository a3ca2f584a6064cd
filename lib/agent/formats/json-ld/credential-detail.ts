/**
 * The detail in JSON-LD offers, requests and proposals: a credential and its signature options (Aries RFC 0593,
 * `aries/ld-proof-vc-detail@v1.0`).
 */
import { isDeepStrictEqual } from 'node:util'
import { CredoError } from '@credo-ts/core'
import type { DidCommAttachment } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { findViolation, hasMoreValuesThan, MAX_DEPTH, MAX_VALUES, UNSAFE_NAMES } from '../../../json.ts'

/**
 * Credo's comparison takes twice as long for each level of nesting, its validators take time for each value, and a
 * member `constructor` makes them fail.
 */
const isWithinLimits = (value: unknown): boolean =>
  findViolation(value, { maxDepth: MAX_DEPTH, forbidden: UNSAFE_NAMES }) === undefined &&
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
export const isCredentialDetail = (value: unknown): value is CredentialDetail =>
  isWithinLimits(value) && v.is(Detail, value)

/** Adds the default purpose, which some agents omit (ACA-Py). */
export const withPurpose = ({ options, ...detail }: CredentialDetail) => ({
  ...detail,
  options: { ...options, proofPurpose: options.proofPurpose ?? 'assertionMethod' },
})

/** Replaces Credo's comparison, which takes twice as long for each level of nesting. */
export const areDetailsEqual = (one: DidCommAttachment, other: DidCommAttachment): boolean => {
  const [first, second] = [one.getDataAsJson(), other.getDataAsJson()]
  return (
    isCredentialDetail(first) &&
    isCredentialDetail(second) &&
    isDeepStrictEqual(withPurpose(first), withPurpose(second))
  )
}

/** Undefined if the attachment has no JSON. */
export const contentOf = (attachment: DidCommAttachment): unknown => {
  try {
    return attachment.getDataAsJson()
  } catch {
    return undefined
  }
}

/** Throws a CredoError if the attachment is not a detail. */
export const detailIn = (attachment: DidCommAttachment): CredentialDetail => {
  const detail = contentOf(attachment)
  if (!isCredentialDetail(detail)) throw new CredoError('the attachment is not a JSON-LD credential with its options')
  return detail
}

/** The DID of a credential's issuer, if it has one. */
export const issuerOf = ({ issuer }: Record<string, unknown>): string | undefined => {
  if (typeof issuer === 'string') return issuer
  return typeof issuer === 'object' && issuer !== null && 'id' in issuer ? String(issuer.id) : undefined
}
