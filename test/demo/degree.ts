/** The degree of the demo: its offer, and the request for it. */

const context = {
  degree: 'https://example.org/vocabulary#degree',
  DegreeCredential: 'https://example.org/vocabulary#DegreeCredential',
}

/** Fields of an offer, beside its connection. `subject`: the DID of who gets it. */
export const degreeOffer = (subject: string) => ({
  protocolVersion: 'v2',
  autoAcceptCredential: 'always',
  credentialFormats: {
    jsonld: {
      credential: {
        '@context': ['https://www.w3.org/2018/credentials/v1', context],
        type: ['VerifiableCredential', 'DegreeCredential'],
        issuanceDate: '2026-01-01T00:00:00Z',
        credentialSubject: { id: subject, degree: 'Bachelor of Science' },
      },
      options: { proofType: 'Ed25519Signature2018' },
    },
  },
})

/** Fields of a request for it, on a connection or in an invitation. */
export const degreeRequest = {
  protocolVersion: 'v2',
  comment: 'Show us your degree',
  autoAcceptProof: 'always',
  proofFormats: {
    presentationExchange: {
      presentationDefinition: {
        id: '43250004-a172-43ff-90c6-7004b856b85e',
        name: 'A degree',
        input_descriptors: [
          {
            id: 'degree',
            schema: [
              { uri: 'https://www.w3.org/2018/credentials/v1' },
              { uri: 'https://www.w3.org/2018/credentials#VerifiableCredential' },
            ],
            constraints: { fields: [{ path: ['$.credentialSubject.degree'], filter: { type: 'string' } }] },
          },
        ],
      },
      options: { contexts: { 'https://example.org/vocabulary/v1': { '@context': context } } },
    },
  },
}
