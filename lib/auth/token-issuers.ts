/** The token issuers that a stage trusts: their names, keys and grants. */
import * as v from 'valibot'
import { type Settings, settings, validSettings } from '../settings.ts'
import { ALL_GRANTS, Grants } from './grants.ts'
import { KeySet } from './key-set.ts'

/**
 * An issuer's keys are given here (`jwks`), or served at its address (`jwksUri`). With both, the given ones are a
 * fallback: they are used while the address has confirmed no keys within a day, and for a day after the deployment that
 * packed them.
 */
const TokenIssuer = v.object({
  issuer: v.pipe(v.string(), v.minLength(1)),
  audience: v.pipe(v.string(), v.minLength(1)),
  jwks: v.optional(KeySet),
  jwksUri: v.optional(v.pipe(v.string(), v.url())),
  /** When a deployment packed `jwks` with the code, in ms since the epoch. */
  preparedAt: v.optional(v.number()),
  /** Whether the settings gave `jwks` beside the address. Otherwise the deployment fetched it there at `preparedAt`. */
  given: v.optional(v.boolean()),
  grants: v.optional(Grants),
})

type IssuerEntry = v.InferOutput<typeof TokenIssuer>

/** If there are several issuers: the first without grants. Only a single one has all grants by default. */
const issuerWithoutGrants = (issuers: IssuerEntry[]): IssuerEntry | undefined =>
  issuers.length > 1 ? issuers.find(({ grants }) => grants === undefined) : undefined

/** The first entry with the issuer and audience of an earlier one. */
const duplicateIssuer = (issuers: IssuerEntry[]): IssuerEntry | undefined =>
  issuers.find((one, index) =>
    issuers.slice(0, index).some(({ issuer, audience }) => issuer === one.issuer && audience === one.audience),
  )

/** A single issuer has all grants by default. With several issuers, each must have grants. */
export const TokenIssuers = v.pipe(
  v.array(TokenIssuer, 'is not a list'),
  v.check(
    (issuers) => issuerWithoutGrants(issuers) === undefined,
    ({ input }) => `${issuerWithoutGrants(input)?.issuer} has no grants; with several issuers each needs them`,
  ),
  v.check(
    (issuers) => duplicateIssuer(issuers) === undefined,
    ({ input }) => `${duplicateIssuer(input)?.issuer} has two entries for one audience`,
  ),
  v.transform((issuers) => issuers.map((issuer) => ({ ...issuer, grants: issuer.grants ?? ALL_GRANTS }))),
)

export type TokenIssuer = v.InferOutput<typeof TokenIssuers>[number]

const IssuerSettings = v.object({ TOKEN_ISSUERS: TokenIssuers })

/** The issuers of the settings. Throws `settings.invalid`. */
export const tokenIssuers = (from: Pick<Settings, 'TOKEN_ISSUERS'> = settings()): TokenIssuer[] =>
  validSettings(IssuerSettings, from).TOKEN_ISSUERS
