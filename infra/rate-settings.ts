/** The rates that infra/stage.yml and infra/firewall.yml take from the environment. */
import * as v from 'valibot'
import { wholeNumber } from './settings.ts'

const Rate = wholeNumber(1, 999_999)

export const RateSettings = v.object({
  /** Of all callers of one operation. */
  OPERATION_RATE: v.optional(Rate),
  /** Of all other agents at one address for envelopes; without it OPERATION_RATE, or 250. */
  DIDCOMM_RATE: v.optional(Rate),
  /** Of a tenant; without it tenants are not counted. */
  TENANT_RATE: v.optional(Rate),
  /** Of one IP address, for each of the operations without a token, within 5 minutes; without it there is no firewall. */
  ADDRESS_RATE: v.optional(wholeNumber(10, 999_999_999)),
})
