/** Services of received invitations, which are alternatives in the sender's order (Aries RFC 0434). */
import type { DidCommOutOfBandInvitation, DidCommOutOfBandRecord } from '@credo-ts/didcomm'
import { AgentError, type FieldIssue, isAgentError } from '../../errors.ts'
import type { TenantAgent } from '../credo/index.ts'
import { reachableKeysOf } from '../dids/index.ts'
import { clearUnread, invalidDocumentReason, unreadDocument } from '../web/index.ts'

type Services = ReturnType<DidCommOutOfBandInvitation['getServices']>

interface UsableServices {
  services: Services
  /** Fingerprints of their keys: a response is accepted from these. */
  keys: string[]
}

/** Maximum number of DIDs to resolve: each may be a document of another host. */
const MAX_RESOLVED = 4

/**
 * The usable services, for which at most four DIDs are resolved. `paths`: the path of each service in the request, for
 * errors. If no service is usable, throws `registry.unavailable` if one may become usable, otherwise `request.invalid`.
 */
export const usableServices = async (
  { context }: TenantAgent,
  services: Services,
  paths: readonly string[],
): Promise<UsableServices> => {
  const usable: UsableServices = { services: [], keys: [] }
  const details: FieldIssue[] = []
  let resolved = 0
  for (const [index, service] of services.entries()) {
    if (typeof service === 'string' && ++resolved > MAX_RESOLVED) continue
    let reason: string | undefined
    const keys =
      typeof service === 'string'
        ? await reachableKeysOf(context, service).catch((error) => {
            reason = invalidDocumentReason(error)
            return []
          })
        : service.resolvedDidCommService.recipientKeys.map(({ fingerprint }) => fingerprint)
    if (keys.length > 0) usable.services.push(service)
    else details.push({ path: paths[index] ?? '', message: [NOT_USABLE, reason ?? []].flat().join(': ') })
    usable.keys.push(...keys)
  }
  if (usable.services.length === 0)
    throw unreadDocument() ?? new AgentError('request.invalid', 'The request is not valid', { details })
  clearUnread()
  return { services: usable.services, keys: [...new Set(usable.keys)] }
}

const NOT_USABLE = 'must be a DID that can be resolved and has a usable endpoint'

/**
 * Removes unusable services from a stored invitation, because Credo fails if one of them cannot be resolved. Does
 * nothing if no service is usable now.
 */
export const removeUnusableServices = async (agent: TenantAgent, record: DidCommOutOfBandRecord): Promise<void> => {
  const services = record.outOfBandInvitation.getServices()
  if (services.length < 2) return
  try {
    const usable = await usableServices(agent, services, [])
    Object.assign(record.outOfBandInvitation, { services: usable.services })
    record.setTag('recipientKeyFingerprints', usable.keys)
  } catch (error) {
    if (!isAgentError(error)) throw error
  }
}
