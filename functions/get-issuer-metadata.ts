/** GetIssuerMetadata: returns the metadata of an issuer as wallets read them, in one read. */
import { query } from '../lib/http/query.ts'
import { GetIssuerMetadata } from '../lib/interface/openid4vci-issuers.ts'
import { readIssuer } from '../lib/openid4vci/issuers.ts'
import { issuerMetadata, serverMetadata } from '../lib/openid4vci/metadata.ts'

export const getIssuerMetadata = query(GetIssuerMetadata, async ({ agent, path }) => {
  const issuer = await readIssuer(agent, path.issuerId)
  const credentialIssuer = issuerMetadata(issuer)
  return {
    credentialIssuer,
    authorizationServers: [serverMetadata(issuer)],
    knownCredentialConfigurations: credentialIssuer.credential_configurations_supported,
  }
})
