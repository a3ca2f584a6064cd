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
 * Stores the event, without the wallet's text. Claims are deleted once all that was offered is accepted. The same event
 * again changes nothing else. Throws `oauth.invalid_token`, `oauth.invalid_notification_request`,
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
    throw new AgentError('oauth.invalid_notification_request', 'notification_id and a known event are needed')
  if (!session.notificationIds?.includes(sha256(id)))
    throw new AgentError('oauth.invalid_notification_id', 'notification_id is not one of this access token')
  if (session.notification !== event) await saveSession(unit, { ...session, notification: event })
  if (event === 'credential_accepted' && session.state === 'Completed') deleteClaims(unit, session.id)
}
