/** Bodies of requests to the service: credentials to offer and proofs to ask for. */
import { CONTEXTS, DEGREE_CONTEXT, DEGREE_TYPE } from './contexts.ts'

export const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'

/** The type in full, as a JSON-LD processor reads it. */
export const VERIFIABLE_CREDENTIAL = 'https://www.w3.org/2018/credentials#VerifiableCredential'

export interface Descriptor {
  id?: string
  /** Of `schema`: the full IRI of a type, which ACA-Py looks for; 'none': a descriptor of DIF PE version 2. */
  schema?: string
  /** Field to the value that it must have. */
  fields: Record<string, string>
}

const inputDescriptor = ({ id = 'degree', schema = DEGREE_TYPE, fields }: Descriptor): object => ({
  id,
  ...(schema !== 'none' && { schema: [{ uri: schema }] }),
  constraints: {
    fields: Object.entries(fields).map(([path, value]) => ({ path: [path], filter: { type: 'string', const: value } })),
  },
})

/** ACA-Py wants a UUID as the id. */
export const definitionOf = (descriptors: Descriptor[]): object => ({
  id: crypto.randomUUID(),
  input_descriptors: descriptors.map(inputDescriptor),
})

/** A DIF request for one credential for each descriptor. `options` go with it: `contexts`, `domain`, `challenge`. */
export const proofRequest = (descriptors: Descriptor[], options?: object): object => ({
  protocolVersion: 'v2',
  autoAcceptProof: 'always',
  proofFormats: {
    presentationExchange: {
      presentationDefinition: definitionOf(descriptors),
      ...(options && { options }),
    },
  },
})

/** Asks for a degree of `degreeCredential`. */
export const BACHELOR: Descriptor = { fields: { '$.credentialSubject.degree': 'Bachelor' } }

/** Asks for a credential of `plainCredential`: what its context has a term for. */
export const PLAIN: Descriptor = {
  schema: VERIFIABLE_CREDENTIAL,
  fields: { '$.issuanceDate': '2026-01-01T00:00:00Z' },
}

/** What an invitation carries if it needs no response. */
export const anyDegree = (): object => proofRequest([BACHELOR])

/** The contexts that the verifier trusts, as the request names them. */
export const trustedContexts = { contexts: CONTEXTS }

/** A credential of the bundled context alone: it has no term for anything of its subject. */
export const plainCredential = (subject?: string): object => ({
  '@context': [CREDENTIALS_V1],
  type: ['VerifiableCredential'],
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: subject === undefined ? {} : { id: subject },
})

/** A credential of the context that no agent has built in. */
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
