/** What the agent notes in a proof record's metadata for itself; no answer and no event shows it as metadata. */

/** The contexts that the verifier reads the presentation with, fixed when it was requested. */
export const VERIFIER_CONTEXTS = '_presentationExchange/contexts'

/** The presentation as it was signed, in the verifier's terms: form data shows this, and not what the wallet wrote. */
export const PRESENTED = '_presentationExchange/presentation'
