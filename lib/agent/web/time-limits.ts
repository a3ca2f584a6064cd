/** Keys and proofs of other agents that are still served, and that are over. */

/** Whether one of these members names a time that has passed, or that nobody can read. In JSON-LD, null names none. */
const isOver = (value: object, names: readonly string[]): boolean =>
  names.some((name) => {
    const at: unknown = Reflect.get(value, name) ?? undefined
    return at !== undefined && !(Date.parse(String(at)) > Date.now())
  })

/**
 * Whether a verification method is revoked or has expired: no proof of it is verified any more.
 * https://www.w3.org/TR/cid-1.0/#verification-methods
 */
export const isKeyOver = (method: object): boolean => isOver(method, ['revoked', 'expires'])

/** Whether a proof has expired. https://www.w3.org/TR/vc-data-integrity/#proofs */
export const isProofOver = (proof: object): boolean => isOver(proof, ['expires'])
