/** The limits of fields are part of the interface: a client that was within them must not be refused by a later version. */
import { expect, test } from 'vitest'
import { describeInterface } from '../../../lib/http/openapi.ts'
import { isObject } from '../../../lib/json.ts'

/** Keyword of JSON Schema, limit, and the names of the fields and parameters, somewhere in the document, that have it. */
const LIMITS = `
  maxItems 0 authorizationServerConfigs
  maxItems 1 credential_signing_alg_values_supported credentials cryptographic_binding_methods_supported
  maxItems 2 handshakeProtocols
  maxItems 4 chain recipientKeys
  maxItems 5 trusted_authorities usages x5c
  maxItems 8 requests~attach routingKeys services
  maxItems 10 @context certificates credential_sets credentials options proof_signing_alg_values_supported
  maxItems 10 transactionData trustedCertificates usages
  maxItems 16 accept handshake_protocols path
  maxItems 20 @context claim_sets credentialSchema credentials display dpopSigningAlgValuesSupported name type values
  maxItems 20 vct_values
  maxItems 50 field_id from_nested group input_descriptors is_holder issuance path proof_type same_subject schema
  maxItems 50 submission_requirements validResponses vcts
  maxItems 100 attributes claim_sets claims credentialSubject enum fields names predicates restrictions values
  maxItems 125 attrNames attributes
  maxItems 200 claims
  maxItems 1000 sessionIds
  maxLength 16 kty
  maxLength 32 crv dpopSigningAlgValuesSupported proof_signing_alg_values_supported
  maxLength 40 exclusiveMaximum exclusiveMinimum expirationDate formatExclusiveMaximum formatExclusiveMinimum
  maxLength 40 formatMaximum formatMinimum issuanceDate maximum minimum
  maxLength 44 recipientKeys routingKeys
  maxLength 64 accept claim_sets file id issuedAfter issuedBefore options usages version
  maxLength 128 commonName credentialConfigurationId credentialConfigurationsSupported credentialSupportedId name
  maxLength 128 organizationName organizationalUnit proof_type referent requested_attributes requested_predicates
  maxLength 128 responseCode stateOrProvinceName values
  maxLength 250 response text
  maxLength 255 alias goalCode goal_code label mimeType name path scope
  maxLength 256 @id attrNames attributes connectionId credentials field_id from group handshake_protocols id mime-type
  maxLength 256 name names outOfBandId recipientKeys routingKeys schemaName schemaVersion selfAttestedAttributes tag
  maxLength 256 threadId type version
  maxLength 300 description
  maxLength 512 challenge domain issuer pattern recipientKey restrictions subject wallet_nonce
  maxLength 1000 alias comment label problemReportDescription purpose theirLabel
  maxLength 1024 const enum name parentThreadId path privateKey purpose threadId values
  maxLength 1450 credentialDefinitionId schemaId
  maxLength 2000 comment goal
  maxLength 2048 @context authorizationServerUrl connectionImageUrl contexts id imageUrl issuer manifest
  maxLength 2048 notificationWebhook redirectUri restrictions serviceEndpoint uri value vct vct_values vcts webhookUrl
  maxLength 4096 credentialDefinitionId did id invitationDid invitationId issuer issuerDid issuerId myDid ourDid
  maxLength 4096 schemaId schemaIssuerDid schemaIssuerId services theirDid verificationMethod
  maxLength 5000 detail question
  maxLength 10240 c_i oob
  maxLength 16384 registrationCertificate
  maxLength 32768 certificate certificates chain trustedCertificates x5c
  maxLength 65536 selfAttestedAttributes value wallet_metadata
  maxLength 100000 content imageUrl
  maxLength 200000 invitationUrl
  maxProperties 10 contexts
  maxProperties 100 credentials requested_attributes requested_predicates selfAttestedAttributes
  maximum 4 pathLenConstraint
  maximum 12 length
  maximum 50 batchSize
  maximum 1000 count limit max min
  maximum 3600 expiresIn
  maximum 5000 revocationRegistrySize
  maximum 604800 expiresIn
  maximum 1000000 maxLength minLength
  maximum 31536000 resultTtl
  maximum 2147483647 p_value threshold
  maximum 9007199254740991 from to
  minItems 1 @context attrNames attributes certificates claim_sets claims credentialSubject credential_sets
  minItems 1 credential_signing_alg_values_supported credentials cryptographic_binding_methods_supported enum field_id
  minItems 1 from_nested handshakeProtocols input_descriptors name names options path proof_signing_alg_values_supported
  minItems 1 proof_type recipientKeys schema services sessionIds submission_requirements transactionData
  minItems 1 trustedCertificates trusted_authorities usages validResponses values vct_values vcts x5c
  minimum -2147483648 p_value threshold
  minimum 0 attempts from index max maxLength min minLength path pathLenConstraint to
  minimum 1 RetryAfter batchSize count limit sequence
  minimum 4 length
  minimum 60 expiresIn resultTtl
  minimum 100 revocationRegistrySize
`

const ROWS = LIMITS.trim()
  .split('\n')
  .map((row) => row.trim().split(' '))
const KEYWORDS = new Set(ROWS.map(([keyword = '']) => keyword))

/** The limits in a part of the document. Lists and alternatives belong to the field that they are of. */
const limitsIn = (part: unknown, field: string): string[] => {
  if (Array.isArray(part)) return part.flatMap((one) => limitsIn(one, field))
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, value]) => {
    if (KEYWORDS.has(key) && typeof value === 'number') return [`${key} ${value} ${field}`]
    if (key === 'parameters' && Array.isArray(value)) return value.flatMap(({ name, schema }) => limitsIn(schema, name))
    if (isObject(value) && ['properties', 'schemas'].includes(key))
      return Object.entries(value).flatMap(([name, schema]) => limitsIn(schema, name))
    const isOfField = ['items', 'allOf', 'anyOf', 'oneOf', 'schema', 'additionalProperties', 'propertyNames'].includes(
      key,
    )
    return limitsIn(value, isOfField ? field : key)
  })
}

test('the document has these limits', () => {
  const limits = limitsIn(describeInterface({ version: '1.0.0', url: 'https://agent.example.org' }), '')
  const expected = ROWS.flatMap(([keyword, limit, ...names]) => names.map((name) => `${keyword} ${limit} ${name}`))
  expect([...new Set(limits)].toSorted()).toEqual(expected.toSorted())
})
