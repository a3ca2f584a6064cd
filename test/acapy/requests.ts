/** Bodies of requests to the service: credentials to offer and proofs to ask for. */
import { CONTEXTS, DEGREE_CONTEXT } from './contexts.ts'

export const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'

export interface Descriptor {
  id?: string
  /** Addresses of `schema`; none: a descriptor of DIF PE version 2. */
  schema?: string[]
  /** Field to the value that it has to have. */
  fields: Record<string, string>
}

const inputDescriptor = ({ id = 'degree', schema, fields }: Descriptor): object => ({
  id,
  ...(schema && { schema: schema.map((uri) => ({ uri })) }),
  constraints: {
    fields: Object.entries(fields).map(([path, value]) => ({ path: [path], filter: { type: 'string', const: value } })),
  },
})

/** A DIF request for one credential for each descriptor. `options` go with it: `contexts`, `domain`, `challenge`. */
export const proofRequest = (descriptors: Descriptor[], options?: object): object => ({
  protocolVersion: 'v2',
  autoAcceptProof: 'always',
  proofFormats: {
    presentationExchange: {
      presentationDefinition: { id: 'definition', input_descriptors: descriptors.map(inputDescriptor) },
      ...(options && { options }),
    },
  },
})

/** What an invitation carries where nobody answers it. */
export const anyDegree = (): object => proofRequest([{ fields: { '$.credentialSubject.degree': 'Bachelor' } }])

/** The contexts that the verifier trusts, as the request names them. */
export const trustedContexts = { contexts: CONTEXTS }

/** A credential of the bundled context alone: it has no term for anything of its subject. */
export const plainCredential = (subject?: string): object => ({
  '@context': [CREDENTIALS_V1],
  type: ['VerifiableCredential'],
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: subject === undefined ? {} : { id: subject },
})

/** A credential of the context that nobody carries. */
export const degreeCredential = (subject: string | undefined, degree: string): object => ({
  ...plainCredential(),
  '@context': [CREDENTIALS_V1, DEGREE_CONTEXT],
  type: ['VerifiableCredential', 'DegreeCredential'],
  credentialSubject: { ...(subject && { id: subject }), degree },
})

/** The same with the context in it instead of its address. */
export const inlineDegreeCredential = (subject: string | undefined, degree: string): object => ({
  ...degreeCredential(subject, degree),
  '@context': [CREDENTIALS_V1, CONTEXTS[DEGREE_CONTEXT]['@context']],
})

export const offer = (connectionId: string, credential: object): object => ({
  connectionId,
  protocolVersion: 'v2',
  autoAcceptCredential: 'always',
  credentialFormats: {
    jsonld: { credential, options: { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' } },
  },
})
