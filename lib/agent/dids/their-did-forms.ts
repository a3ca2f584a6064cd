/** Which DIDs of other agents may become the DID of a connection: those that resolve to one document. */

/**
 * The forms of such a DID (DID Core, section 3.1; did:peer has its own). No DID URL is among them, which resolves to the
 * document of its DID. Neither are did:peer:1 and the short form of did:peer:4, which do not contain their document:
 * nobody may use documents of other connections. A handshake that attaches the document of a did:peer:1 compares both.
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
