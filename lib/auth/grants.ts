/** The grants of a token issuer: the roles its tokens may have, and the tenants and organizations they may access. */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'

/** credo-controller's role names: the base agent; the base agent with its tenants; one tenant. */
export const ROLES = ['RestRootAgent', 'RestRootAgentWithTenants', 'RestTenantAgent'] as const
export type Role = (typeof ROLES)[number]

/** Ids of tenants or organizations; `*`: all of them. */
export type Reach = '*' | string[]

const isReach = (value: unknown): value is Reach =>
  value === '*' || (Array.isArray(value) && value.every((id) => v.is(EntityId, id)))

export const Reach = v.custom<Reach>(isReach, 'is neither "*" nor a list of ids')

export const reaches = (reach: Reach, id: string): boolean => reach === '*' || reach.includes(id)

/** `tenants` and `organizations` also limit root roles. */
export const Grants = v.object({ roles: v.array(v.picklist(ROLES)), tenants: Reach, organizations: Reach })
export type Grants = v.InferOutput<typeof Grants>

export const ALL_GRANTS: Grants = { roles: [...ROLES], tenants: '*', organizations: '*' }
