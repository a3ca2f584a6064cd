/** Example calls on the statuses of credentials that an issuer of OpenID4VCI has issued. */
import { randomUUID } from 'node:crypto'
import { createIssuer } from '../../../lib/openid4vci/issuers.ts'
import { insertSession } from '../../../lib/openid4vci/session.ts'
import { startRevocation } from '../../../lib/openid4vci/status.ts'
import type { StoredIssuanceSession } from '../../../lib/records/openid4vci.ts'
import { drawIndexes, takeIndex } from '../../../lib/status-list/indexes.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { atHttps } from '../stage/at-https.ts'
import type { CallScene, Examples } from './call-scene.ts'

type Given = Partial<StoredIssuanceSession> & { count?: number; index?: number }

/** A session that has issued revocable credentials, as it lies in the table; `index`: of the list `named`. */
export const issuedSession = (tenantId: string, { count = 1, index, ...more }: Given = {}): Promise<string> =>
  transaction(tenantId, async (unit) => {
    const [id, issuerId, at] = [randomUUID(), more.issuerId ?? 'acme', new Date()]
    const until = new Date(at.getTime() + 86_400_000)
    const place = { issuerId, listId: 'named', index: Number(index), until }
    if (index !== undefined) await takeIndex(unit, place)
    const status =
      index === undefined ? await drawIndexes(unit, { issuerId, count, until }) : { listId: 'named', indexes: [index] }
    const degree = { credentialConfigurationId: 'degree', isRevocable: true } as const
    insertSession(unit, {
      ...{ id, createdAt: at.toISOString(), issuerId, state: 'Completed', expiresAt: until.toISOString() },
      credentials: [{ ...degree, vct: 'https://acme.example/degree', claimNames: ['name'], certificateId: 'c1' }],
      issuedCredentials: [{ credentialConfigurationId: 'degree', issuedAt: at.toISOString(), count, status }],
      credentialStatus: 'valid',
      ...more,
    })
    return id
  })

/** Two sessions whose status changes; each has its own list, to which the change adds the first piece. */
const change =
  (given: Given = {}) =>
  async ({ tenantId }: CallScene) => {
    const newSession = () => issuedSession(tenantId, { issuerId: randomUUID(), ...given })
    const [issuanceSessionId, another] = [await newSession(), await newSession()]
    return {
      asked: { path: { issuanceSessionId }, body: {} },
      other: { path: { issuanceSessionId: another }, body: {} },
    }
  }

const CONFIGURATIONS = { degree: { format: 'dc+sd-jwt', vct: 'https://acme.example/degree' } }

/** An issuer, made at https. */
const issuerOf = async (tenantId: string): Promise<string> => {
  const create = { credentialConfigurationsSupported: CONFIGURATIONS } as Parameters<typeof createIssuer>[1]
  return String((await atHttps(() => transaction(tenantId, (unit) => createIssuer(unit, create)))).issuerId)
}

/** One with a list. */
const issuerWithList = async (scene: CallScene) => {
  const { tenantId } = await scene.newTenant()
  await scene.done('CreateCertificate', { caller: { tenantId }, body: { issuer: 'CN=Acme' } })
  const issuerId = await issuerOf(tenantId)
  const of = { issuerId, count: 1, until: new Date(Date.now() + 86_400_000) }
  const { listId } = await transaction(tenantId, (unit) => drawIndexes(unit, of))
  return { issuerId, listId }
}

export const openid4vciStatus: Examples = {
  RevokeIssuanceSession: change(),
  SuspendIssuanceSession: change(),
  ResumeIssuanceSession: change({ credentialStatus: 'suspended' }),
  RevokeStatuses: async (scene) => {
    const caller = await scene.newTenant()
    const body = { publicIssuerId: await issuerOf(caller.tenantId) }
    return { asked: { body }, other: { body: { ...body, credentialConfigurationId: 'degree' } }, caller }
  },
  GetStatusRevocation: async ({ tenantId }) => {
    const start = () => transaction(tenantId, async (unit) => startRevocation(unit, { sessionIds: ['none'] }))
    return { asked: { path: { revocationId: await start() } } }
  },
  GetStatusList: async (scene) => ({
    asked: { path: await scene.once('issuer with list', () => issuerWithList(scene)) },
    isPublic: true,
  }),
}
