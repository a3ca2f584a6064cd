/** The rates that infra/stage.yml takes from the environment, in requests a second. */
import * as v from 'valibot'

const Rate = v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/, 'is not a whole number of requests a second'))

export const RateSettings = v.object({
  /** Of all callers of one operation. */
  OPERATION_RATE: v.optional(Rate),
  /** Of a tenant; without it tenants are not counted. */
  TENANT_RATE: v.optional(Rate),
})
