/** What a wallet has done with credentials: https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-11 */
import { AgentError } from '../errors.ts'
import { sha256 } from '../openid/compare.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { sessionOfToken } from './access-token.ts'
import { deleteClaims } from './claims-item.ts'
import { saveSession } from './session.ts'

const EVENTS: readonly unknown[] = ['credential_accepted', 'credential_failure', 'credential_deleted']

export interface WalletNotification {
  notification_id?: unknown
  event?: unknown
}

/**
 * Stores the event, without the wallet's text. Claims are deleted once all offered credentials are accepted. A repeated
 * event changes nothing else. Throws `oauth.invalid_token`, `oauth.invalid_notification_request`,
 * `oauth.invalid_notification_id`.
 */
export const notify = async (
  unit: UnitOfWork,
  issuerId: string,
  accessToken: string | undefined,
  { notification_id: id, event }: WalletNotification,
): Promise<undefined> => {
  const { session } = await sessionOfToken(unit, issuerId, accessToken)
  if (typeof event !== 'string' || !EVENTS.includes(event) || typeof id !== 'string')
    throw new AgentError('oauth.invalid_notification_request', 'notification_id and a known event are required')
  const place = session.notificationIds?.indexOf(sha256(id)) ?? -1
  if (place === -1)
    throw new AgentError('oauth.invalid_notification_id', 'notification_id does not belong to this access token')
  if (event !== 'credential_accepted') {
    if (session.notification !== event) await saveSession(unit, { ...session, notification: event })
    return
  }
  const { issuedCredentials = [], credentials } = session
  if (issuedCredentials[place]?.isAccepted && session.notification === event) return
  const issued = issuedCredentials.map((one, index) => (index === place ? { ...one, isAccepted: true as const } : one))
  await saveSession(unit, { ...session, notification: event, issuedCredentials: issued })
  const accepted = issued.filter((one) => one.isAccepted).map((one) => one.credentialConfigurationId)
  if (credentials.every((one) => accepted.includes(one.credentialConfigurationId))) deleteClaims(unit, session.id)
}
