/** Metadata of a type of credentials: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-sd-jwt-vc-13#section-5 */
import { AgentError } from '../errors.ts'
import { isObject } from '../json.ts'
import type { CredentialConfiguration, StoredIssuer } from '../records/openid4vci.ts'
import { issuerUrlOf } from './issuers.ts'

/** Both are required of each entry. */
const displayOf = (display: unknown, textName: 'name' | 'label') => {
  const entries = (Array.isArray(display) ? display : []).filter(isObject)
  const named = entries.filter(({ name }) => typeof name === 'string')
  const shown = named.map(({ name, locale = 'en' }) => ({ locale, [textName]: name }))
  return shown.length > 0 && { display: shown }
}

const typeOf = ({ vct, credential_metadata: { display, claims = [] } = {} }: CredentialConfiguration) => {
  const name = display?.find((one) => one.name !== undefined)?.name
  const shown = claims.map(({ path, mandatory, ...claim }) => ({
    path,
    ...displayOf(claim.display, 'label'),
    ...(mandatory === true && { mandatory }),
  }))
  return {
    vct,
    ...(name !== undefined && { name }),
    ...displayOf(display, 'name'),
    ...(shown.length > 0 && { claims: shown }),
  }
}

/** Of the configuration whose `vct` is this address. Throws `resource.not_found`. */
export const typeMetadata = (issuer: StoredIssuer, name: string): object => {
  const address = `${issuerUrlOf(issuer.issuerId)}/types/${name}`
  const own = Object.values(issuer.credentialConfigurationsSupported).find(({ vct }) => vct === address)
  if (own === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  return typeOf(own)
}
