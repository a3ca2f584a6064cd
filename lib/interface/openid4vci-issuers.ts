/** Contracts of the issuers of OpenID4VCI 1.0, for their tenant: the calls of credo-controller, with certificates as signers. */
import * as v from 'valibot'
import { CredentialConfiguration as IssuedConfiguration, IssuerRecord } from '../records/openid4vci.ts'
import { PublicId } from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { actionOn, COMMAND, DELETION, defineContract, LOOKUP, listingOf, lookupOf } from './contract.ts'
import { exactly, JsonObject, listOf, notTooDeep, Paging, text } from './fields.ts'

/** Names and logos, for people; credo-controller's clients send `{}` for none. */
const Displays = v.union([
  listOf(v.pipe(JsonObject, notTooDeep()), 20),
  v.pipe(
    exactly({}),
    v.transform(() => []),
  ),
])

/** Of a configuration. */
export const ConfigurationName = v.pipe(text(128), v.regex(/^[A-Za-z0-9._:-]+$/, 'must be of A-Z a-z 0-9 . _ : -'))

/** JWS algorithms of a wallet's proof. */
const ProofAlgorithms = v.pipe(listOf(text(32), 10), v.minLength(1))

const Claim = exactly({
  path: v.pipe(
    listOf(v.union([text(255), v.pipe(v.number(), v.integer(), v.minValue(0)), v.null()]), 16),
    v.minLength(1),
  ),
  display: v.optional(listOf(JsonObject, 20)),
  mandatory: v.optional(v.boolean()),
})

/** Other formats, and what is not enforced, are a 422. */
const Configuration = v.pipe(
  exactly({
    format: v.literal('dc+sd-jwt', 'must be `dc+sd-jwt`'),
    vct: text(2048),
    scope: v.optional(text(255)),
    cryptographic_binding_methods_supported: v.optional(
      v.pipe(listOf(v.literal('jwk', 'must be `jwk`'), 1), v.minLength(1)),
    ),
    credential_signing_alg_values_supported: v.optional(
      v.pipe(listOf(v.literal('ES256', 'must be `ES256`'), 1), v.minLength(1)),
    ),
    proof_types_supported: v.optional(
      exactly({ jwt: exactly({ proof_signing_alg_values_supported: ProofAlgorithms }) }),
    ),
    credential_metadata: v.optional(
      exactly({ display: v.optional(listOf(JsonObject, 20)), claims: v.optional(listOf(Claim, 200)) }),
    ),
  }),
  v.check(
    ({ cryptographic_binding_methods_supported: methods, proof_types_supported: types }) =>
      (methods === undefined) === (types === undefined),
    'must have both cryptographic_binding_methods_supported and proof_types_supported, or neither',
  ),
)

const IssuerSettings = {
  display: v.optional(Displays),
  credentialConfigurationsSupported: v.pipe(
    v.record(ConfigurationName, Configuration),
    v.check((configurations) => Object.keys(configurations).length <= 50, 'must have at most 50 configurations'),
    notTooDeep(),
  ),
  batchCredentialIssuance: v.optional(
    exactly({ batchSize: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)) }),
  ),
  certificateId: v.optional(EntityId),
  dpopSigningAlgValuesSupported: v.optional(listOf(text(32), 20)),
  authorizationServerConfigs: v.optional(v.pipe(v.array(v.unknown()), v.maxLength(0, 'are not supported'))),
}

const OfIssuer = v.object({ issuerId: PublicId })

export const CreateIssuer = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'CreateIssuer',
  path: '/openid4vc/issuer',
  summary: 'Create an issuer',
  description:
    '`issuerId` (by default a UUID) becomes part of URLs and is never reused, not even after deletion: 409. ' +
    '`certificateId`: the certificate that signs its credentials and status lists. `batchSize`: maximum number of keys in a request of a wallet; each gets a credential.',
  body: exactly({
    issuerId: v.optional(PublicId),
    accessTokenSignerKeyType: v.optional(exactly({ kty: text(16), crv: text(32) })),
    ...IssuerSettings,
  }),
  responses: { 200: IssuerRecord },
}))

export const UpdateIssuer = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(OfIssuer, IssuerRecord),
  method: 'PUT',
  operationId: 'UpdateIssuer',
  path: '/openid4vc/issuer/{issuerId}',
  summary: 'Change an issuer',
  description: 'Omitted fields are removed. Existing offers do not change.',
  body: exactly(IssuerSettings),
}))

export const GetIssuers = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(Paging, IssuerRecord),
  operationId: 'GetIssuers',
  path: '/openid4vc/issuer',
  summary: 'List the issuers',
}))

export const GetIssuerById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(OfIssuer, IssuerRecord),
  operationId: 'GetIssuerById',
  path: '/openid4vc/issuer/{issuerId}',
  summary: 'Retrieve an issuer',
}))

export const GetIssuerMetadata = /* @__PURE__ */ defineContract(() => ({
  ...LOOKUP,
  operationId: 'GetIssuerMetadata',
  path: '/openid4vc/issuer/{issuerId}/metadata',
  summary: 'Retrieve the metadata of an issuer as wallets read them',
  parameters: { path: OfIssuer },
  responses: {
    200: v.looseObject({
      /** OpenID4VCI 1.0, section 12.2.4. */
      credentialIssuer: v.record(v.string(), v.unknown()),
      /** RFC 8414, section 2. */
      authorizationServers: v.array(v.record(v.string(), v.unknown())),
      knownCredentialConfigurations: v.record(v.string(), IssuedConfiguration),
    }),
  },
}))

export const DeleteIssuer = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteIssuer',
  path: '/openid4vc/issuer/{issuerId}',
  summary: 'Delete an issuer',
  description:
    '409: it has revocable credentials that have not expired. With `keep=public` its offers and access tokens end, and its documents for verifiers remain: ' +
    'its key set, its status lists, its types; credentials can still be revoked.',
  parameters: { path: OfIssuer, query: v.object({ keep: v.optional(v.literal('public')) }) },
}))
