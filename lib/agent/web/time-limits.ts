/** Expiry and revocation of other agents' keys and proofs. */

/** Whether one of these members is a time in the past, or not a valid time. In JSON-LD, null means absent. */
const isPast = (value: object, names: readonly string[]): boolean =>
  names.some((name) => {
    const at: unknown = Reflect.get(value, name) ?? undefined
    return at !== undefined && !(Date.parse(String(at)) > Date.now())
  })

/**
 * Whether a verification method is revoked or has expired: its proofs are no longer valid.
 * https://www.w3.org/TR/cid-1.0/#verification-methods
 */
export const isKeyRevokedOrExpired = (method: object): boolean => isPast(method, ['revoked', 'expires'])

/** Whether a proof has expired. https://www.w3.org/TR/vc-data-integrity/#proofs */
export const isProofExpired = (proof: object): boolean => isPast(proof, ['expires'])
