/** The tenant record, and the alphabet of every id that comes in a path. */
import * as v from 'valibot'

/** Partition of the base agent. `@` is not in the alphabet of ids, so no token and no path can name it. */
export const BASE_AGENT = '@base'

/** Ids of tenants, organizations and records: 1 to 64 characters of `[A-Za-z0-9._:-]`. */
export const EntityId = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must be 1 to 64 characters of A-Z a-z 0-9 . _ : -'),
)

const TenantConfig = v.looseObject({
  /** What wallets show of the agent. */
  label: v.string(),
  connectionImageUrl: v.optional(v.string()),
  /** Whether offers and proof requests of others are accepted without a call. */
  autoAcceptOffers: v.optional(v.boolean()),
  autoAcceptProofRequests: v.optional(v.boolean()),
})

export const TenantRecord = v.looseObject({
  id: EntityId,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  config: TenantConfig,
  /** Organization that the tenant's events go to. */
  orgId: EntityId,
})

export type TenantRecord = v.InferOutput<typeof TenantRecord>
