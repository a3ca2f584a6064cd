/** The forms of a did:peer:4: the long one contains the document, the short one only its hash. */

/** https://identity.foundation/peer-did-method-spec/#method-4-short-form-and-long-form */
const LONG_FORM = /^(did:peer:4[^:]+):/

/** The short form of a did:peer:4; any other DID unchanged. */
export const shortForm = (did: string): string => LONG_FORM.exec(did)?.[1] ?? did
