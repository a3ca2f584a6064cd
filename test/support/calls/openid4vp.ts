/** Example calls on the verifier of OpenID4VP. An agent has 50 verifiers at most, so those that make one have an agent of their own. */
import { createHash, randomUUID } from 'node:crypto'
import { resultItem } from '../../../lib/openid4vp/result.ts'
import { loadSession } from '../../../lib/openid4vp/session.ts'
import { createVerifier } from '../../../lib/openid4vp/verifiers.ts'
import { verificationSessionRecords } from '../../../lib/records/openid-kinds.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { atHttps } from '../stage/at-https.ts'
import type { CallScene, Examples } from './call-scene.ts'
import { foreignCertificate } from './x509.ts'

/** In the table, because a stage that the tests reach by http makes none. */
const verifierOf = async (tenantId: string, certificateId?: string): Promise<string> =>
  (await atHttps(() => transaction(tenantId, (unit) => createVerifier(unit, { certificateId })))).id as string

const QUERY = {
  credentials: [{ id: 'degree', format: 'dc+sd-jwt', meta: { vct_values: ['https://acme.example/degree'] } }],
}

/** A tenant with a verifier that has a certificate. */
const signingVerifier = async (scene: CallScene) => {
  const caller = await scene.newTenant()
  const { keyId } = await scene.done('CreateCertificate', { caller, body: { issuer: 'CN=Acme' } })
  return { caller, verifierId: await verifierOf(caller.tenantId, keyId) }
}

/** An open request of a verifier. */
const openRequest = async (scene: CallScene) => {
  const { caller, verifierId } = await signingVerifier(scene)
  const body = { verifierId, responseMode: 'direct_post', dcql: { query: QUERY } }
  const { verificationSession } = await scene.done('CreatePresentationRequest', { caller, body })
  return { caller, path: { verifierId, verificationSessionId: verificationSession.id as string } }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const NEW_VERIFIER = { clientMetadata: { client_name: 'Acme' } }
const VCTS = ['https://acme.example/degree']

/** A session whose response was verified, as it lies in the table. */
export const verifiedSession = (tenantId: string, more: Record<string, unknown> = {}): Promise<string> =>
  transaction(tenantId, async (unit) => {
    const id = randomUUID()
    const uri = `https://agent.example/oid4vp/acme/authorization-requests/${id}`
    const value = {
      ...{ id, createdAt: new Date().toISOString(), metadata: {}, verifierId: 'acme', state: 'ResponseVerified' },
      authorizationRequest: `openid4vp://?client_id=x509_hash:abc&request_uri=${encodeURIComponent(uri)}`,
      authorizationRequestUri: uri,
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
      payload: {
        ...{ client_id: 'x509_hash:abc', nonce: 'n', state: 's', response_mode: 'direct_post', client_metadata: {} },
      },
      ...{ certificateId: 'c1', resultTtl: 600, checks: [], credentials: [] },
      ...more,
    }
    unit.insert({ tenant: tenantId, type: verificationSessionRecords.type, id, value, tags: {} })
    const expiresAt = Math.floor(Date.now() / 1000) + 600
    unit.create(resultItem.encode({ tenant: tenantId, sessionId: id, claims: { pid: [{ name: 'Alice' }] }, expiresAt }))
    return id
  })

const trusted = (scene: CallScene, caller: object) =>
  scene.done('CreateTrustedIssuer', { caller, body: { issuer: 'https://issuer.example', vcts: VCTS } })

export const openid4vp: Examples = {
  CreateVerifier: async (scene) => ({
    asked: { body: NEW_VERIFIER },
    other: { body: { clientMetadata: { client_name: 'Globex' } } },
    caller: await scene.newTenant(),
  }),
  UpdateVerifier: async (scene) => {
    const caller = await scene.newTenant()
    const path = { verifierId: await verifierOf(caller.tenantId) }
    return { asked: { path, body: NEW_VERIFIER }, other: { path, body: {} }, caller }
  },
  GetVerifiers: async () => ({ asked: { query: { limit: '10' } } }),
  GetVerifierById: async (scene) => {
    const verifierId = await scene.once('verifier', () => verifierOf(scene.tenantId))
    return { asked: { path: { verifierId } } }
  },
  DeleteVerifier: async (scene) => {
    const caller = await scene.newTenant()
    const [verifierId, another] = [await verifierOf(caller.tenantId), await verifierOf(caller.tenantId)]
    return { asked: { path: { verifierId } }, other: { path: { verifierId: another } }, caller }
  },
  CreateTrustedIssuer: async (scene) => ({
    asked: { body: { certificates: [(await foreignCertificate('Acme')).certificate], vcts: VCTS, name: 'Acme' } },
    other: { body: { issuer: 'https://issuer.example', vcts: VCTS } },
    caller: await scene.newTenant(),
  }),
  GetTrustedIssuers: async () => ({ asked: { query: { limit: '10' } } }),
  DeleteTrustedIssuer: async (scene) => {
    const caller = await scene.newTenant()
    const [{ id: trustedIssuerId }, another] = [await trusted(scene, caller), await trusted(scene, caller)]
    return { asked: { path: { trustedIssuerId } }, other: { path: { trustedIssuerId: another.id } }, caller }
  },
  GetVerificationSessions: async (scene) => {
    await scene.once('verified session', () => verifiedSession(scene.tenantId))
    return { asked: { query: { publicVerifierId: 'acme', state: 'ResponseVerified', limit: '10' } } }
  },
  GetVerificationSessionById: async (scene) => {
    const verificationSessionId = await scene.once('verified session', () => verifiedSession(scene.tenantId))
    return { asked: { path: { verificationSessionId } } }
  },
  CreatePresentationRequest: async (scene) => {
    const { caller, verifierId } = await signingVerifier(scene)
    const body = { verifierId, dcql: { query: QUERY } }
    return { asked: { body }, other: { body: { ...body, expiresIn: 60 } }, caller }
  },
  CompleteVerificationSession: async ({ tenantId }) => {
    const session = () => {
      const responseCode = createHash('sha256').update('code').digest('base64url')
      const codeExpiresAt = new Date(Date.now() + 300_000).toISOString()
      return verifiedSession(tenantId, { state: 'ResponseReceived', responseCode, codeTries: 0, codeExpiresAt })
    }
    const [verificationSessionId, another] = [await session(), await session()]
    const body = { responseCode: 'code' }
    return {
      asked: { path: { verificationSessionId }, body },
      other: { path: { verificationSessionId: another }, body },
    }
  },
  GetRequestObject: async (scene) => {
    const { path } = await openRequest(scene)
    return { asked: { path }, isPublic: true }
  },
  PostRequestObject: async (scene) => {
    const { path } = await openRequest(scene)
    return { asked: { path, headers: FORM, body: 'wallet_nonce=nonce' }, isPublic: true }
  },
  ShowPresentationRequest: async (scene) => {
    const { path } = await openRequest(scene)
    return { asked: { path, headers: { accept: 'application/json' } }, isPublic: true }
  },
  /** The error of a wallet, which ends the session. */
  ReceivePresentation: async (scene) => {
    const { caller, path } = await openRequest(scene)
    const id = path.verificationSessionId
    const { state } = await transaction(caller.tenantId, async (unit) => (await loadSession(unit, id)).payload)
    const body = new URLSearchParams({ error: 'access_denied', state }).toString()
    return { asked: { path: { verifierId: path.verifierId }, query: { session: id }, headers: FORM, body } }
  },
  DeleteVerificationSession: async ({ tenantId }) => {
    const [verificationSessionId, another] = [await verifiedSession(tenantId), await verifiedSession(tenantId)]
    return { asked: { path: { verificationSessionId } }, other: { path: { verificationSessionId: another } } }
  },
}
