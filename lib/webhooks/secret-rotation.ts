/** The rotation of an endpoint's signing secret: a new one signs, and for a day the one before it too. */
import type { RotatedWebhookEndpoint } from '../records/webhook-endpoint.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type EndpointPath, replaceEndpoint, requireEndpoint, toWebhookEndpoint } from './endpoints.ts'
import { newSecret, PREVIOUS_SECONDS, sealSecret } from './secrets.ts'

/**
 * Gives an endpoint a new secret. The one before it signs too for 24 h; of several rotations within that time only the last one's. Throws
 * `resource.not_found`, `endpoint.not_active`. `now` in ms since the epoch.
 */
export const rotateSecret = async (
  unit: UnitOfWork,
  path: EndpointPath,
  now: number = Date.now(),
): Promise<RotatedWebhookEndpoint> => {
  const endpoint = await requireEndpoint(unit, path)
  const secret = newSecret()
  const rotated = {
    ...endpoint,
    secret: await sealSecret(unit, endpoint, secret),
    previousSecret: endpoint.secret,
    previousUntil: epochSeconds(now) + PREVIOUS_SECONDS,
  }
  return { ...toWebhookEndpoint(replaceEndpoint(unit, rotated, now)), secret }
}
