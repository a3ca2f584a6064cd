/** The limits of fields are part of the interface: a client that was within them must not be refused by a later version. */
import { expect, test } from 'vitest'
import { describeInterface } from '../../../lib/http/openapi.ts'
import { isObject } from '../../../lib/json.ts'

/** Keyword of JSON Schema, limit, and the names of the fields and parameters, somewhere in the document, that have it. */
const LIMITS: [keyword: string, limit: number, names: string][] = [
  ['maxItems', 1, 'credentials'],
  ['maxItems', 2, 'handshakeProtocols'],
  ['maxItems', 4, 'recipientKeys'],
  ['maxItems', 8, 'requests~attach routingKeys services'],
  ['maxItems', 10, '@context credentials'],
  ['maxItems', 16, 'accept handshake_protocols'],
  ['maxItems', 20, '@context credentialSchema type'],
  [
    'maxItems',
    50,
    `
    field_id from_nested group input_descriptors is_holder issuance path proof_type
    same_subject schema submission_requirements validResponses
  `,
  ],
  ['maxItems', 100, 'attributes credentialSubject enum fields names predicates restrictions'],
  ['maxItems', 125, 'attrNames attributes'],
  [
    'maxLength',
    40,
    `
    exclusiveMaximum exclusiveMinimum expirationDate formatExclusiveMaximum
    formatExclusiveMinimum formatMaximum formatMinimum issuanceDate maximum minimum
  `,
  ],
  ['maxLength', 44, 'recipientKeys routingKeys'],
  ['maxLength', 64, 'accept file version'],
  ['maxLength', 128, 'proof_type referent requested_attributes requested_predicates'],
  ['maxLength', 250, 'response text'],
  ['maxLength', 255, 'alias goalCode goal_code label mimeType'],
  [
    'maxLength',
    256,
    `
    @id attrNames attributes connectionId credentials field_id from group handshake_protocols
    id mime-type name names outOfBandId recipientKeys routingKeys schemaName schemaVersion
    selfAttestedAttributes tag threadId type version
  `,
  ],
  ['maxLength', 512, 'challenge domain pattern recipientKey restrictions'],
  ['maxLength', 1000, 'alias comment label problemReportDescription theirLabel'],
  ['maxLength', 1024, 'const enum name parentThreadId path purpose threadId'],
  ['maxLength', 1450, 'credentialDefinitionId schemaId'],
  ['maxLength', 2000, 'comment goal'],
  [
    'maxLength',
    2048,
    `
    @context connectionImageUrl contexts id imageUrl manifest notificationWebhook
    restrictions serviceEndpoint uri webhookUrl
  `,
  ],
  [
    'maxLength',
    4096,
    `
    credentialDefinitionId did id invitationDid invitationId issuer issuerDid issuerId myDid
    ourDid schemaId schemaIssuerDid schemaIssuerId services theirDid verificationMethod
  `,
  ],
  ['maxLength', 5000, 'detail question'],
  ['maxLength', 10_240, 'c_i oob'],
  ['maxLength', 65_536, 'selfAttestedAttributes value'],
  ['maxLength', 100_000, 'content imageUrl'],
  ['maxLength', 200_000, 'invitationUrl'],
  ['maxProperties', 10, 'contexts'],
  ['maxProperties', 100, 'credentials requested_attributes requested_predicates selfAttestedAttributes'],
  ['maximum', 1000, 'count limit max min'],
  ['maximum', 5000, 'revocationRegistrySize'],
  ['maximum', 1_000_000, 'maxLength minLength'],
  ['maximum', 2_147_483_647, 'p_value threshold'],
  ['maximum', 9_007_199_254_740_991, 'from to'],
  [
    'minItems',
    1,
    `
    @context attrNames attributes credentialSubject credentials enum field_id from_nested
    handshakeProtocols input_descriptors names path proof_type recipientKeys schema services
    submission_requirements validResponses
  `,
  ],
  ['minimum', -2_147_483_648, 'p_value threshold'],
  ['minimum', 0, 'attempts from max maxLength min minLength to'],
  ['minimum', 1, 'RetryAfter count limit sequence'],
  ['minimum', 100, 'revocationRegistrySize'],
]

const KEYWORDS = new Set(LIMITS.map(([keyword]) => keyword))

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
  const expected = LIMITS.flatMap(([keyword, limit, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => `${keyword} ${limit} ${name}`),
  )
  expect([...new Set(limits)].toSorted()).toEqual(expected.toSorted())
})
