/** Keys of a credential definition with attributes of the test's own. To look for primes takes seconds. */
import '../../lib/agent/formats/anoncreds/library.ts'

import { CredentialDefinition, Schema } from '@hyperledger/anoncreds-shared'
import type { Json } from '../support/stage/in-process-stage.ts'

export const createKeys = (attributeNames: string[]) => {
  const issuerId = 'did:memory:issuer'
  const schema = Schema.create({ issuerId, name: 'made', version: '1.0', attributeNames })
  const made = CredentialDefinition.create({
    schema: schema.toJson(),
    issuerId,
    schemaId: `${issuerId}/schema/made`,
    tag: 'made',
    supportRevocation: false,
    signatureType: 'CL',
  })
  return {
    value: (made.credentialDefinition.toJson() as Json).value,
    private: made.credentialDefinitionPrivate.toJson() as Json,
    proof: made.keyCorrectnessProof.toJson() as Json,
  }
}
