/** JSON-LD contexts that nobody carries: wallets read them from a file, the service gets them with the request. */

/** One that no agent has at its address. */
export const DEGREE_CONTEXT = 'https://contexts.example.org/degree/v1'

export const DEGREE_TYPE = 'https://vocabulary.example.org/degree#DegreeCredential'

/** Address to document. */
export const CONTEXTS = {
  [DEGREE_CONTEXT]: {
    '@context': {
      '@version': 1.1,
      '@protected': true,
      DegreeCredential: DEGREE_TYPE,
      degree: 'https://vocabulary.example.org/degree#degree',
      field: 'https://vocabulary.example.org/degree#field',
    },
  },
}
