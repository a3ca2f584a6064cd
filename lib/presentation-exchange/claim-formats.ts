/** Claim formats of a definition or a descriptor: what the verifier can verify, and what they permit of it. */

/** Proof types that the verifier can verify; credentials and presentations are JSON-LD. */
export const VERIFIABLE_PROOF_TYPES = ['Ed25519Signature2018', 'Ed25519Signature2020']

/** `ldp` stands for both of the others. */
export interface ClaimFormats {
  ldp?: { proof_type: readonly string[] } | undefined
  ldp_vc?: { proof_type: readonly string[] } | undefined
  ldp_vp?: { proof_type: readonly string[] } | undefined
}

/**
 * Whether a credential (`ldp_vc`) or a presentation (`ldp_vp`) with a linked data proof of this type is permitted. Formats that say nothing
 * of one of the two, and something of the other, leave it free: ACA-Py's users write `ldp_vp` alone.
 */
export const permits = (formats: ClaimFormats | undefined, claim: 'ldp_vc' | 'ldp_vp', proofType: string): boolean => {
  if (formats === undefined) return true
  const { ldp, ldp_vc: credential, ldp_vp: presentation } = formats
  const named = [ldp, claim === 'ldp_vc' ? credential : presentation].filter((format) => format !== undefined)
  if (named.length > 0) return named.some((format) => format.proof_type.includes(proofType))
  return credential !== undefined || presentation !== undefined
}

/** Whether the formats permit both a credential and a presentation that the verifier can verify. */
export const isVerifiable = (formats: ClaimFormats): boolean =>
  (['ldp_vc', 'ldp_vp'] as const).every((claim) => VERIFIABLE_PROOF_TYPES.some((type) => permits(formats, claim, type)))
