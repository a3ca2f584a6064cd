/** The forms that the DID of another agent on a connection may have: it must resolve to one document. */

/**
 * DID Core, section 3.1; did:peer has its own forms. DID URLs are excluded, because they resolve to the document of
 * their DID. did:peer:1 and the short form of did:peer:4 are excluded, because they do not contain their document: a
 * wallet must not use documents of other connections. A handshake checks a did:peer:1 against the attached document.
 * https://identity.foundation/peer-did-method-spec/#abnf-for-peer-dids
 */
const FORMS = [
  /^did:peer:0z[0-9A-Za-z]+$/,
  /^did:peer:2[0-9A-Za-z._=-]+$/,
  /^did:peer:4z[0-9A-Za-z]+:z[0-9A-Za-z]+$/,
  /^did:(?!peer:)[a-z0-9]+:(?:[\w.:-]|%[0-9A-Fa-f]{2})*(?:[\w.-]|%[0-9A-Fa-f]{2})$/,
]

/** Whether a DID of another agent may become the DID of a connection. It need not exist. */
export const mayBeTheirDid = (did: string): boolean => FORMS.some((form) => form.test(did))
