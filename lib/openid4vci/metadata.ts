/** What wallets and verifiers read of an issuer: https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-12.2 */
import { AgentError } from '../errors.ts'
import type { CredentialConfiguration, StoredIssuer } from '../records/openid4vci.ts'
import { isIssuing, issuerUrlOf } from './issuers.ts'

/** Wallets reject empty lists of names. */
const displayIn = (display: unknown) => Array.isArray(display) && display.length > 0 && { display }

const shownConfiguration = ({ credential_metadata: metadata, ...rest }: CredentialConfiguration) => {
  if (metadata === undefined) return rest
  const claims = metadata.claims?.map(({ display, ...claim }) => ({ ...claim, ...displayIn(display) })) ?? []
  return { ...rest, credential_metadata: { ...displayIn(metadata.display), ...(claims.length > 0 && { claims }) } }
}

/** Section 12.2.4 */
export const issuerMetadata = (issuer: StoredIssuer) => {
  const url = issuerUrlOf(issuer.issuerId)
  const { batchSize = 1 } = issuer.batchCredentialIssuance ?? {}
  const configurations = Object.entries(issuer.credentialConfigurationsSupported)
  return {
    ...{ credential_issuer: url, credential_endpoint: `${url}/credential`, nonce_endpoint: `${url}/nonce` },
    notification_endpoint: `${url}/notification`,
    ...displayIn(issuer.display),
    ...(batchSize > 1 && { batch_credential_issuance: { batch_size: batchSize } }),
    credential_configurations_supported: Object.fromEntries(
      configurations.map(([id, configuration]) => [id, shownConfiguration(configuration)]),
    ),
  }
}

const jwksUriOf = (url: string): string => `${url}/jwks`

/** RFC 8414, section 2, and section 12.3. DPoP is not supported: a proof is ignored. */
export const serverMetadata = ({ issuerId }: StoredIssuer) => {
  const url = issuerUrlOf(issuerId)
  return {
    ...{ issuer: url, token_endpoint: `${url}/token`, jwks_uri: jwksUriOf(url) },
    // Required; empty because there is no authorization endpoint.
    response_types_supported: [],
    grant_types_supported: ['urn:ietf:params:oauth:grant-type:pre-authorized_code'],
    'pre-authorized_grant_anonymous_access_supported': true,
    token_endpoint_auth_methods_supported: ['none'],
  }
}

/** https://datatracker.ietf.org/doc/html/draft-ietf-oauth-sd-jwt-vc-13#section-4 */
const keyMetadata = ({ issuerId }: StoredIssuer) => {
  const issuer = issuerUrlOf(issuerId)
  return { issuer, jwks_uri: jwksUriOf(issuer) }
}

const DOCUMENTS = new Map<string, (issuer: StoredIssuer) => object>([
  ['openid-credential-issuer', issuerMetadata],
  ['oauth-authorization-server', serverMetadata],
  ['jwt-vc-issuer', keyMetadata],
])

/** A document by its well-known name. Throws `resource.not_found` for documents for wallets if the issuer no longer issues. */
export const wellKnown = (issuer: StoredIssuer, name: string): object => {
  const document = DOCUMENTS.get(name)
  if (document === undefined || (name !== 'jwt-vc-issuer' && !isIssuing(issuer)))
    throw new AgentError('resource.not_found', 'there is no such record')
  return document(issuer)
}
