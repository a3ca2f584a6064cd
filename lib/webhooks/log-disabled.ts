/** The line of the log that tells that an endpoint was disabled, and counts it. */
import { measure } from '../metrics.ts'
import type { Endpoint } from './endpoint-item.ts'

export const logDisabled = (
  { orgId, id, kind, disabledReason, failingSince, lastError }: Endpoint,
  now: number,
): void =>
  measure(
    'error',
    'endpoint disabled',
    {
      event: 'webhook.endpoint_disabled',
      ...{ orgId, endpointId: id, kind, reason: disabledReason, failingSince, lastError },
    },
    { values: { EndpointDisabled: 1 }, now },
  )
