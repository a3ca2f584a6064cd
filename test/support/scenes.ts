/** Common steps of tests: connect a wallet, offer it a degree, request a proof of one. */

import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { Caller, InProcessStage, Json } from './stage/in-process-stage.ts'

/** The vocabulary of the degrees. It is in the credentials in full, so that nothing is fetched; a verifier gives it with its request. */
const degreeContext = { degree: 'https://example.org/degree', DegreeCredential: 'https://example.org/DegreeCredential' }

/** A presentation definition (DIF Presentation Exchange) that a degree of `offerBody` fits: Credo looks for a context, ACA-Py for a type, and for an id that is a UUID. */
export const degreeDefinition = {
  id: '43250004-a172-43ff-90c6-7004b856b85e',
  name: 'degree',
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
}

export const requestBody = {
  protocolVersion: 'v2',
  autoAcceptProof: 'always',
  proofFormats: {
    presentationExchange: {
      presentationDefinition: degreeDefinition,
      options: { contexts: { 'https://example.org/degree/v1': { '@context': degreeContext } } },
    },
  },
}

/** A request that uses most features of a presentation definition of version 2. */
export const presentationBody = {
  protocolVersion: 'v2',
  proofFormats: {
    presentationExchange: {
      presentationDefinition: {
        id: 'degree',
        format: { ldp_vp: { proof_type: ['Ed25519Signature2018'] } },
        submission_requirements: [{ rule: 'all', from_nested: [{ rule: 'pick', count: 1, from: 'A' }] }],
        input_descriptors: [
          {
            id: 'degree',
            group: ['A'],
            constraints: {
              subject_is_issuer: 'preferred',
              is_holder: [{ field_id: ['degree'], directive: 'required' }],
              fields: [
                { id: 'degree', path: ["$.credentialSubject['degree']", '$..degree'], filter: { pattern: '^[A-Z]' } },
                { path: ['$.type'], filter: { type: 'array', contains: { const: 'DegreeCredential' } } },
                { path: ['$.issuanceDate'], filter: { format: 'date-time', formatMinimum: '2026-01-01T00:00:00Z' } },
                { path: ['$.credentialSubject.grade'], filter: { minimum: 1, not: { const: 5 } }, optional: true },
              ],
            },
          },
        ],
      },
      options: {
        contexts: { 'https://example.org/contexts/v1': { '@context': { degree: 'https://example.org/degree' } } },
      },
    },
  },
}

export const anonCredsRequest = {
  name: 'degree',
  version: '1.0',
  requested_attributes: { degree: { name: 'degree', restrictions: [{ schema_id: 'schema:degree' }] } },
  requested_predicates: {
    age: { name: 'age', p_type: '>=', p_value: 18, restrictions: [{ schema_id: 'schema:degree' }] },
  },
}

export const offerBody = (connectionId: string, subject: string) => ({
  connectionId,
  protocolVersion: 'v2',
  autoAcceptCredential: 'always',
  credentialFormats: {
    jsonld: {
      credential: {
        '@context': ['https://www.w3.org/2018/credentials/v1', degreeContext],
        type: ['VerifiableCredential', 'DegreeCredential'],
        issuanceDate: '2026-01-01T00:00:00Z',
        credentialSubject: { id: subject, degree: 'Bachelor' },
      },
      options: { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' },
    },
  },
})

export interface Connected {
  /** The service's connection. */
  connectionId: string
  /** The wallet's. */
  walletConnectionId: string
  /** Answer of CreateRequest. */
  request: Json
}

/** Lets the wallet scan a fresh proof request and waits until both sides call the connection complete. */
export const connect = async (
  stage: InProcessStage,
  wallet: Wallet,
  caller: Caller = {},
  body: object = requestBody,
): Promise<Connected> => {
  const { body: request } = await stage.call('createRequest', { caller, body })
  const { id: walletConnectionId } = await wallet.connect(request.invitationUrl)
  const connection = await waitFor('the connection to be completed', async () => {
    const { body: found } = await stage.call('getConnections', {
      caller,
      query: { outOfBandId: request.outOfBandRecord.id },
    })
    return found[0]?.state === 'completed' && found[0]
  })
  return { connectionId: connection.id, walletConnectionId, request }
}

/** Offers the wallet a degree and waits until the exchange is done. Returns the credential exchange record. */
export const issueDegree = async (
  stage: InProcessStage,
  wallet: Wallet,
  connectionId: string,
  caller: Caller = {},
): Promise<Json> => {
  const { body: offered } = await stage.call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })
  return waitFor('the credential exchange to be done', async () => {
    const { body } = await stage.call('getCredentialById', { caller, path: { credentialRecordId: offered.id } })
    return body.state === 'done' && body
  })
}

/** A tenant, and a token that acts in it. */
export const createTenant = async (stage: InProcessStage, label = 'Acme'): Promise<{ tenantId: string }> => {
  const { body } = await stage.call('createTenant', { body: { config: { label } } })
  return { tenantId: body.id }
}
