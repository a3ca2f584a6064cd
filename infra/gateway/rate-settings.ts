/** The rates that infra/stage.yml and infra/firewall.yml take from the environment. */
import * as v from 'valibot'
import { described, wholeNumber } from '../settings.ts'

const Rate = wholeNumber(1, 999_999)

export const RateSettings = v.object({
  OPERATION_RATE: described(
    v.optional(Rate),
    'Requests a second to each operation, of all callers together; 500 by default.',
  ),
  DIDCOMM_RATE: described(
    v.optional(Rate),
    'Envelopes a second of all other agents at one address; OPERATION_RATE or 250 by default, at most the number of concurrent functions of the account.',
  ),
  TENANT_RATE: described(
    v.optional(Rate),
    'Requests a second of a tenant; without it tenants are not counted. The same rate, averaged over a minute, limits connection requests of unknown senders to a tenant (without it 10); an invitation for one connection allows 20 requests a day in addition.',
  ),
  ADDRESS_RATE: described(
    v.optional(wholeNumber(10, 999_999_999)),
    'Envelopes of one IP address in 5 minutes, and as many registrations for notifications; without it there is no firewall.',
  ),
})
