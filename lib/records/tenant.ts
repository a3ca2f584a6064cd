/** The tenant record, and the alphabet of all ids in paths. */
import * as v from 'valibot'

/** Id of the base agent in keys. No token or path can name it, because ids have no `@`. */
export const BASE_AGENT = '@base'

/**
 * Ids of tenants, organizations and records: 1 to 64 characters of `[A-Za-z0-9._:-]`. Not `.` or `..`, because clients
 * remove them from paths (RFC 3986, section 5.2.4).
 */
export const EntityId = v.pipe(
  v.string(),
  v.regex(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,64}$/, 'must be 1 to 64 characters of A-Z a-z 0-9 . _ : -, and not . or ..'),
)

const TenantConfig = v.looseObject({
  /** Name that wallets show. */
  label: v.string(),
  connectionImageUrl: v.optional(v.string()),
  /** Whether received offers and proof requests are accepted without an API call. */
  autoAcceptOffers: v.optional(v.boolean()),
  autoAcceptProofRequests: v.optional(v.boolean()),
})

export const TenantRecord = v.looseObject({
  id: EntityId,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  config: TenantConfig,
  /** Organization that receives the tenant's events. */
  orgId: EntityId,
})
