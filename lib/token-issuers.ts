/** The token issuers of a stage: whom it trusts to say who somebody is, by which keys, and how far the word of each goes. */
import * as v from 'valibot'
import { KeySet } from './key-set.ts'

/** credo-controller's role names: the base agent; the base agent with its tenants; one tenant. */
export const ROLES = ['RestRootAgent', 'RestRootAgentWithTenants', 'RestTenantAgent'] as const
export type Role = (typeof ROLES)[number]

/** Ids of tenants or organizations; `*`: all of them. */
export type Reach = '*' | string[]

const ID = /^[A-Za-z0-9._:-]{1,64}$/
const isReach = (value: unknown): value is Reach =>
  value === '*' || (Array.isArray(value) && value.every((id) => typeof id === 'string' && ID.test(id)))

export const Reach = v.custom<Reach>(isReach, 'is neither "*" nor a list of ids')

export const reaches = (reach: Reach, id: string): boolean => reach === '*' || reach.includes(id)

/** What the tokens of an issuer may say. A root role ends at the same tenants and organizations. */
const Grants = v.object({ roles: v.array(v.picklist(ROLES)), tenants: Reach, organizations: Reach })
export type Grants = v.InferOutput<typeof Grants>

export const ALL_GRANTS: Grants = { roles: [...ROLES], tenants: '*', organizations: '*' }

/**
 * Its keys are given here (`jwks`), or served at its address (`jwksUri`). With both, those given here are a fallback: they count while there
 * are no keys that the address has confirmed within a day, and for a day after the deployment that packed them.
 */
const TokenIssuer = v.object({
  issuer: v.pipe(v.string(), v.minLength(1)),
  audience: v.pipe(v.string(), v.minLength(1)),
  jwks: v.optional(KeySet),
  jwksUri: v.optional(v.pipe(v.string(), v.url())),
  /** When a deployment packed `jwks` with the code, in ms since the epoch. */
  preparedAt: v.optional(v.number()),
  /** The settings gave `jwks` beside the address; otherwise the deployment fetched it there at `preparedAt`. Without that time it was given. */
  given: v.optional(v.boolean()),
  grants: v.optional(Grants),
})

type GivenIssuer = v.InferOutput<typeof TokenIssuer>

/** Of several issuers none may be taken for the one that has everything. */
const withoutGrants = (issuers: GivenIssuer[]): GivenIssuer | undefined =>
  issuers.length > 1 ? issuers.find(({ grants }) => grants === undefined) : undefined

/** The first entry whose issuer and audience an earlier one has: a token would be checked against either. */
const repeated = (issuers: GivenIssuer[]): GivenIssuer | undefined =>
  issuers.find((one, index) =>
    issuers.slice(0, index).some(({ issuer, audience }) => issuer === one.issuer && audience === one.audience),
  )

/** A single issuer has all grants unless its entry says otherwise; with several, each entry says so. */
export const TokenIssuers = v.pipe(
  v.array(TokenIssuer, 'is not a list'),
  v.check(
    (issuers) => withoutGrants(issuers) === undefined,
    ({ input }) => `${withoutGrants(input)?.issuer} has no grants; with several issuers each needs them`,
  ),
  v.check(
    (issuers) => repeated(issuers) === undefined,
    ({ input }) => `${repeated(input)?.issuer} has two entries for one audience`,
  ),
  v.transform((issuers) => issuers.map((issuer) => ({ ...issuer, grants: issuer.grants ?? ALL_GRANTS }))),
)

export type TokenIssuer = v.InferOutput<typeof TokenIssuers>[number]
