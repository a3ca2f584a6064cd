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
    'Envelopes a second of all other agents at one address; OPERATION_RATE or 250 by default, and no more than the account runs functions at once.',
  ),
  TENANT_RATE: described(
    v.optional(Rate),
    'Requests a second of a tenant; without it tenants are not counted. As many strangers a second, on the average of a minute, may ask a tenant for a connection (without it 10); an invitation for one connection has 20 tries a day of its own.',
  ),
  ADDRESS_RATE: described(
    v.optional(wholeNumber(10, 999_999_999)),
    'Envelopes of one IP address in 5 minutes, and as many registrations for notifications; without it there is no firewall.',
  ),
})
