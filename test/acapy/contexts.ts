/** JSON-LD contexts that no agent has built in: wallets read them from a file, the service gets them with the request. */
import citizenship from '../../lib/agent/formats/json-ld/contexts/citizenship-v1.json' with { type: 'json' }

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

/** What wallets read from a file: ACA-Py carries the second since 1.3 only. */
export const WALLET_CONTEXTS = { ...CONTEXTS, 'https://w3id.org/citizenship/v1': citizenship }
