/** Whether the running agent accepts offers and proof requests of others without a call: they wait unless its settings say otherwise. */
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { readTenant } from '../store/tenants.ts'
import { currentUnit } from '../store/transaction.ts'

export interface AutoAccept {
  offers: boolean
  proofRequests: boolean
}

/** Of the agent that the running unit of work is for. Throws `resource.not_found` for a tenant that is gone. */
export const autoAccept = async (): Promise<AutoAccept> => {
  const unit = currentUnit()
  if (unit.tenant === BASE_AGENT)
    return { offers: settings().AUTO_ACCEPT_OFFERS, proofRequests: settings().AUTO_ACCEPT_PROOF_REQUESTS }
  const { autoAcceptOffers = false, autoAcceptProofRequests = false } = await readTenant(unit.tenant, unit)
  return { offers: autoAcceptOffers, proofRequests: autoAcceptProofRequests }
}
