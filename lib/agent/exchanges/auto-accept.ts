/** Whether offers and proof requests are accepted without an API call. By default they wait for one. */
import { BASE_AGENT } from '../../records/tenant.ts'
import { settings } from '../../settings.ts'
import { currentUnit } from '../../store/transaction.ts'
import { readTenant } from '../../tenants/tenants.ts'

/** The settings of the running unit of work's agent. Throws `resource.not_found` for a deleted tenant. */
export const autoAccept = async () => {
  const unit = currentUnit()
  if (unit.tenant === BASE_AGENT)
    return { offers: settings().AUTO_ACCEPT_OFFERS, proofRequests: settings().AUTO_ACCEPT_PROOF_REQUESTS }
  const { autoAcceptOffers = false, autoAcceptProofRequests = false } = await readTenant(unit.tenant, unit)
  return { offers: autoAcceptOffers, proofRequests: autoAcceptProofRequests }
}
