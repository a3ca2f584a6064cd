/** Example calls on the issuer of OpenID4VCI. An agent has 50 issuers at most, so those that make one have an agent of their own. */
import { createIssuer } from '../../../lib/openid4vci/issuers.ts'
import { settings } from '../../../lib/settings.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { CLAIMS, FRAME, IDENTITY, VCT } from '../openid/issuance.ts'
import { atHttps } from '../stage/at-https.ts'
import type { CallScene, Examples } from './call-scene.ts'
import { issuedSession } from './openid4vci-status.ts'

const TYPE = 'identity'

const configurations = (vct = VCT) => ({
  [IDENTITY]: {
    format: 'dc+sd-jwt' as const,
    vct,
    cryptographic_binding_methods_supported: ['jwk'],
    proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
  },
})

/** In the table, because a stage that the tests reach by http makes none. */
const issuerOf = async (tenantId: string, certificateId?: string): Promise<string> => {
  const credentialConfigurationsSupported = configurations()
  const make = () =>
    transaction(tenantId, (unit) => createIssuer(unit, { certificateId, credentialConfigurationsSupported }))
  return (await atHttps(make)).id as string
}

/** A tenant with an issuer that has a certificate. */
const signingIssuer = async (scene: CallScene) => {
  const caller = await scene.newTenant()
  const { keyId } = await scene.done('CreateCertificate', { caller, body: { issuer: 'CN=Acme' } })
  return { caller, issuerId: await issuerOf(caller.tenantId, keyId) }
}

const offerBody = (publicIssuerId: string, more: object = {}) => ({
  publicIssuerId,
  credentials: [{ credentialSupportedId: IDENTITY, payload: CLAIMS, disclosureFrame: FRAME }],
  preAuthorizedCodeFlowConfig: { txCode: { length: 6 } },
  ...more,
})

/** An offer of a tenant of its own. */
export const offered = async (scene: CallScene, more: object = {}) => {
  const { caller, issuerId } = await signingIssuer(scene)
  const offer = await scene.done('CreateCredentialOffer', { caller, body: offerBody(issuerId, more) })
  return { caller, issuerId, offer, issuanceSessionId: offer.issuanceSession.id as string }
}

const once = (scene: CallScene) => scene.once('issued session', () => issuedSession(scene.tenantId))

const SETTINGS = { display: [{ name: 'Acme' }], credentialConfigurationsSupported: configurations() }
const OTHER = { credentialConfigurationsSupported: {} }

/** A read of a public document. */
const open =
  (more: Record<string, string> = {}) =>
  async (scene: CallScene) => {
    const issuer = await scene.once('public issuer', () => signingIssuer(scene))
    return { asked: { path: { issuerId: issuer.issuerId, ...more } }, isPublic: true as const }
  }

export const openid4vci: Examples = {
  CreateIssuer: async (scene) => ({
    ...{ asked: { body: SETTINGS }, other: { body: OTHER }, caller: await scene.newTenant() },
  }),
  UpdateIssuer: async (scene) => {
    const caller = await scene.newTenant()
    const path = { issuerId: await issuerOf(caller.tenantId) }
    return { asked: { path, body: SETTINGS }, other: { path, body: OTHER }, caller }
  },
  GetIssuers: async () => ({ asked: { query: { limit: '10' } } }),
  GetIssuerById: async (scene) => {
    const issuerId = await scene.once('issuer', () => issuerOf(scene.tenantId))
    return { asked: { path: { issuerId } } }
  },
  GetIssuerMetadata: async (scene) => {
    const issuerId = await scene.once('issuer', () => issuerOf(scene.tenantId))
    return { asked: { path: { issuerId } } }
  },
  DeleteIssuer: async (scene) => {
    const caller = await scene.newTenant()
    const [issuerId, another] = [await issuerOf(caller.tenantId), await issuerOf(caller.tenantId)]
    return { asked: { path: { issuerId } }, other: { path: { issuerId: another } }, caller }
  },
  CreateCredentialOffer: async (scene) => {
    const { caller, issuerId } = await signingIssuer(scene)
    const other = { body: offerBody(issuerId, { expiresIn: 60 }) }
    return { asked: { body: offerBody(issuerId) }, other, caller }
  },
  GetIssuanceSessions: async (scene) => {
    await once(scene)
    return { asked: { query: { publicIssuerId: 'acme', state: 'Completed', limit: '10' } } }
  },
  GetIssuanceSessionById: async (scene) => ({ asked: { path: { issuanceSessionId: await once(scene) } } }),
  UpdateIssuanceSession: async ({ tenantId }) => {
    const path = { issuanceSessionId: await issuedSession(tenantId) }
    return { asked: { path, body: { order: '7' } }, other: { path, body: { order: '8' } } }
  },
  DeleteIssuanceSession: async ({ tenantId }) => {
    const [issuanceSessionId, another] = [await issuedSession(tenantId), await issuedSession(tenantId)]
    return { asked: { path: { issuanceSessionId } }, other: { path: { issuanceSessionId: another } } }
  },
  GetWellKnown: open({ name: 'openid-credential-issuer' }),
  GetWellKnownOfIssuer: open({ name: 'oauth-authorization-server' }),
  GetIssuerKeys: open(),
  GetCredentialType: async (scene) => {
    const { tenantId } = await scene.newTenant()
    const issuerId = await scene.once('issuer with a type', () => issuerWithType(tenantId))
    return { asked: { path: { issuerId, name: TYPE } }, isPublic: true }
  },
  GetCredentialOffer: async (scene) => {
    const { issuerId, issuanceSessionId } = await offered(scene)
    return { asked: { path: { issuerId, issuanceSessionId } }, isPublic: true }
  },
  ShowCredentialOffer: async (scene) => {
    const { issuerId, issuanceSessionId } = await offered(scene)
    return { asked: { path: { issuerId, issuanceSessionId }, headers: { accept: 'application/json' } }, isPublic: true }
  },
}

/** With a type below the stage's own address. */
const issuerWithType = async (tenantId: string): Promise<string> => {
  const issuerId = `types-${tenantId}`
  const vct = `${settings().PUBLIC_URL}/oid4vci/${issuerId}/types/${TYPE}`
  const credentialConfigurationsSupported = configurations(vct)
  await atHttps(() =>
    transaction(tenantId, (unit) => createIssuer(unit, { issuerId, credentialConfigurationsSupported })),
  )
  return issuerId
}
