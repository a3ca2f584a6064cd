/** The body of an event: everything for a webhook endpoint, ids and states for a notification endpoint, and never too much. */
import type { RegistrationKind } from '../records/registration.ts'
import { idsOf, MOST_BODY_BYTES } from '../records/webhook-event.ts'
import type { Fact } from './fact.ts'

/** Standard Webhooks 1.0.0, "Payload structure". */
const bodyOf = ({ type, occurredAt, of, sequence, previousState }: Fact, orgId: string, shown: object): string =>
  JSON.stringify({
    type,
    timestamp: occurredAt,
    data: {
      orgId,
      ...('tenant' in of && { tenantId: of.tenant }),
      sequence,
      ...(previousState !== undefined && { previousState }),
      ...shown,
    },
  })

/**
 * The JSON text that an endpoint of an organization gets. A record with which it would be larger than `mostBytes` (UTF-8)
 * is replaced by its ids, and `truncated` says so.
 */
export const eventBody = (
  fact: Fact,
  orgId: string,
  kind: RegistrationKind,
  mostBytes: number = MOST_BODY_BYTES,
): string => {
  const record = idsOf(fact.record)
  if (kind === 'notification') return bodyOf(fact, orgId, { record })
  const whole = fact.truncated ? undefined : bodyOf(fact, orgId, { record: fact.record })
  return whole !== undefined && Buffer.byteLength(whole) <= mostBytes
    ? whole
    : bodyOf(fact, orgId, { truncated: true, record })
}
