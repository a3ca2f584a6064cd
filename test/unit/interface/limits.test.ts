/** The limits of fields are part of the interface: a later version must not reject a request within them. */
import { expect, test } from 'vitest'
import { describeInterface } from '../../../lib/http/openapi.ts'
import { isObject } from '../../../lib/json.ts'

const KEYWORDS = ['maxItems', 'maxLength', 'maxProperties', 'maximum', 'minItems', 'minLength', 'minimum']

/** The limits in a part of the document. Lists and alternatives belong to the field that they are of. */
const limitsIn = (part: unknown, field: string): string[] => {
  if (Array.isArray(part)) return part.flatMap((one) => limitsIn(one, field))
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, value]) => {
    if (KEYWORDS.includes(key) && typeof value === 'number') return [`${key} ${value} ${field}`]
    if (key === 'parameters' && Array.isArray(value)) return value.flatMap(({ name, schema }) => limitsIn(schema, name))
    if (isObject(value) && ['properties', 'schemas'].includes(key))
      return Object.entries(value).flatMap(([name, schema]) => limitsIn(schema, name))
    const isOfField = ['items', 'allOf', 'anyOf', 'oneOf', 'schema', 'additionalProperties', 'propertyNames'].includes(
      key,
    )
    return limitsIn(value, isOfField ? field : key)
  })
}

/** Keyword of JSON Schema, limit, and the names of the fields and parameters, anywhere in the document, that have it. */
test('the document has these limits', () => {
  const limits = limitsIn(describeInterface({ version: '1.0.0', url: 'https://agent.example.org' }), '')
  const rows = Map.groupBy([...new Set(limits)].toSorted(), (limit) => limit.slice(0, limit.lastIndexOf(' ')))
  const names = (row: string[]) => row.map((limit) => limit.slice(limit.lastIndexOf(' ') + 1)).join(' ')
  // `vitest -u` is right for a new field and for a limit that allows more. One that allows less breaks clients.
  expect(Object.fromEntries([...rows].map(([limit, row]) => [limit, names(row)]))).toMatchInlineSnapshot(`
    {
      "maxItems 0": "authorizationServerConfigs",
      "maxItems 1": "credential_signing_alg_values_supported credentials cryptographic_binding_methods_supported",
      "maxItems 10": "@context certificates credential_sets credentials options proof_signing_alg_values_supported transactionData trustedCertificates usages",
      "maxItems 100": "attributes claim_sets claims credentialSubject enum fields names predicates restrictions values",
      "maxItems 1000": "sessionIds",
      "maxItems 125": "attrNames attributes",
      "maxItems 16": "accept handshake_protocols path",
      "maxItems 2": "handshakeProtocols",
      "maxItems 20": "@context claim_sets credentialSchema credentials display dpopSigningAlgValuesSupported name type values vct_values",
      "maxItems 200": "claims",
      "maxItems 4": "chain recipientKeys",
      "maxItems 5": "trusted_authorities usages x5c",
      "maxItems 50": "field_id from_nested group input_descriptors is_holder issuance path proof_type same_subject schema submission_requirements validResponses vcts",
      "maxItems 8": "requests~attach routingKeys services",
      "maxLength 1000": "alias comment label problemReportDescription purpose theirLabel",
      "maxLength 100000": "content imageUrl",
      "maxLength 1024": "const enum name parentThreadId path privateKey purpose threadId values",
      "maxLength 10240": "c_i oob",
      "maxLength 128": "commonName credentialConfigurationId credentialConfigurationsSupported credentialSupportedId name organizationName organizationalUnit proof_type referent requested_attributes requested_predicates responseCode stateOrProvinceName values",
      "maxLength 1450": "credentialDefinitionId schemaId",
      "maxLength 16": "kty",
      "maxLength 16384": "registrationCertificate",
      "maxLength 2000": "comment goal",
      "maxLength 200000": "invitationUrl",
      "maxLength 2048": "@context authorizationServerUrl connectionImageUrl contexts id imageUrl issuer manifest notificationWebhook redirectUri restrictions serviceEndpoint uri value vct vct_values vcts webhookUrl",
      "maxLength 250": "response text",
      "maxLength 255": "alias goalCode goal_code label mimeType name path scope",
      "maxLength 256": "@id attrNames attributes connectionId credentials field_id from group handshake_protocols id mime-type name names outOfBandId recipientKeys routingKeys schemaName schemaVersion selfAttestedAttributes tag threadId type version",
      "maxLength 300": "description",
      "maxLength 32": "crv dpopSigningAlgValuesSupported proof_signing_alg_values_supported",
      "maxLength 32768": "certificate certificates chain trustedCertificates x5c",
      "maxLength 40": "exclusiveMaximum exclusiveMinimum expirationDate formatExclusiveMaximum formatExclusiveMinimum formatMaximum formatMinimum issuanceDate maximum minimum",
      "maxLength 4096": "credentialDefinitionId did id invitationDid invitationId issuer issuerDid issuerId myDid ourDid schemaId schemaIssuerDid schemaIssuerId services theirDid verificationMethod",
      "maxLength 44": "recipientKeys routingKeys",
      "maxLength 5000": "detail question",
      "maxLength 512": "challenge domain issuer pattern recipientKey restrictions subject wallet_nonce",
      "maxLength 64": "accept claim_sets file id issuedAfter issuedBefore options usages version",
      "maxLength 65536": "selfAttestedAttributes value wallet_metadata",
      "maxProperties 10": "contexts",
      "maxProperties 100": "credentials requested_attributes requested_predicates selfAttestedAttributes",
      "maximum 1000": "count limit max min",
      "maximum 1000000": "maxLength minLength",
      "maximum 12": "length",
      "maximum 2147483647": "p_value threshold",
      "maximum 31536000": "resultTtl",
      "maximum 3600": "expiresIn",
      "maximum 4": "pathLenConstraint",
      "maximum 50": "batchSize",
      "maximum 5000": "revocationRegistrySize",
      "maximum 604800": "expiresIn",
      "maximum 9007199254740991": "from to",
      "minItems 1": "@context attrNames attributes certificates claim_sets claims credentialSubject credential_sets credential_signing_alg_values_supported credentials cryptographic_binding_methods_supported enum field_id from_nested handshakeProtocols input_descriptors name names options path proof_signing_alg_values_supported proof_type recipientKeys schema services sessionIds submission_requirements transactionData trustedCertificates trusted_authorities usages validResponses values vct_values vcts x5c",
      "minLength 1": "@context @id accept alias attrNames attributes authorizationServerUrl certificate certificates chain challenge claim_sets comment commonName connectionImageUrl const content contexts credentialConfigurationId credentialConfigurationsSupported credentialDefinitionId credentialSupportedId credentials crv description detail did domain dpopSigningAlgValuesSupported enum exclusiveMaximum exclusiveMinimum expirationDate field_id formatExclusiveMaximum formatExclusiveMinimum formatMaximum formatMinimum from goal goalCode group handshake_protocols id imageUrl invitationDid invitationId invitationUrl issuanceDate issuedAfter issuedBefore issuer issuerDid issuerId kty label manifest maximum mime-type mimeType minimum myDid name names notificationWebhook options organizationName organizationalUnit ourDid parentThreadId path pattern privateKey problemReportDescription proof_signing_alg_values_supported proof_type purpose question recipientKey recipientKeys redirectUri referent registrationCertificate requested_attributes requested_predicates response responseCode restrictions routingKeys schemaId schemaIssuerDid schemaIssuerId schemaName schemaVersion scope selfAttestedAttributes serviceEndpoint services stateOrProvinceName subject tag text theirDid theirLabel threadId trustedCertificates type uri usages value values vct vct_values vcts verificationMethod version wallet_metadata wallet_nonce webhookUrl x5c",
      "minimum -2147483648": "p_value threshold",
      "minimum 0": "attempts from index max maxLength min minLength path pathLenConstraint to",
      "minimum 1": "RetryAfter batchSize count limit sequence",
      "minimum 100": "revocationRegistrySize",
      "minimum 4": "length",
      "minimum 60": "expiresIn resultTtl",
    }
  `)
})
