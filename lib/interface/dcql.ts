/** Queries for credentials (DCQL): https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-6 */
import * as v from 'valibot'
import { UNSAFE_NAMES } from '../json.ts'
import { exactly, text } from './fields.ts'
import { noViolations } from './violations.ts'

/** Ids of queries, claims and sets. */
const Id = v.pipe(
  text(64),
  v.regex(/^[A-Za-z0-9_-]+$/, 'must be of A-Z a-z 0-9 _ -'),
  v.check((id) => !UNSAFE_NAMES.some((name) => name === id), 'must not name a prototype'),
)

const list = <Item extends v.GenericSchema>(item: Item, max: number) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(max))

/** A name, an index, or `null` for all elements of a list. */
const Path = list(v.union([text(255), v.pipe(v.number(), v.integer(), v.minValue(0)), v.null()]), 16)

const ClaimQuery = exactly({
  id: v.optional(Id),
  path: v.pipe(
    Path,
    v.check(([first]) => typeof first === 'string', 'must begin with the name of a claim'),
  ),
  values: v.optional(list(v.union([text(1024), v.pipe(v.number(), v.integer()), v.boolean()]), 100)),
})

/** Other formats and types are a 422: a request has nothing that would not be enforced. */
const CredentialQuery = exactly({
  id: Id,
  format: v.literal('dc+sd-jwt', 'must be `dc+sd-jwt`'),
  multiple: v.optional(v.boolean()),
  meta: exactly({ vct_values: list(text(2048), 20) }),
  claims: v.optional(list(ClaimQuery, 100)),
  claim_sets: v.optional(list(list(Id, 100), 20)),
  trusted_authorities: v.optional(
    list(
      exactly({
        type: v.literal('aki', 'must be `aki`'),
        values: list(v.pipe(text(128), v.regex(/^(?:[\w-]{4})*(?:[\w-]{2,3})?$/, 'must be base64url')), 20),
      }),
      5,
    ),
  ),
  require_cryptographic_holder_binding: v.optional(v.boolean()),
})

const hasRepeated = (ids: readonly string[]): boolean => new Set(ids).size < ids.length

export const DcqlQuery = v.pipe(
  exactly({
    credentials: list(CredentialQuery, 10),
    credential_sets: v.optional(
      list(
        exactly({
          options: list(list(Id, 10), 10),
          required: v.optional(v.boolean()),
          purpose: v.optional(v.union([text(1000), v.number()])),
        }),
        10,
      ),
    ),
  }),
  noViolations(({ credentials, credential_sets = [] }) => {
    const ids = credentials.map(({ id }) => id)
    const isUnknown = (known: readonly string[]) => (id: string) => !known.includes(id)
    return [
      ...(hasRepeated(ids) ? [{ path: ['credentials'], message: 'must not have an id twice' }] : []),
      ...credentials.flatMap(({ claims = [], claim_sets = [] }, index) => {
        const path = ['credentials', index]
        const claimIds = claims.flatMap(({ id }) => id ?? [])
        return [
          ...(hasRepeated(claimIds) ? [{ path: [...path, 'claims'], message: 'must not have an id twice' }] : []),
          ...(claim_sets.flat().some(isUnknown(claimIds))
            ? [{ path: [...path, 'claim_sets'], message: 'must name ids of claims' }]
            : []),
        ]
      }),
      ...(credential_sets.some(({ options }) => options.flat().some(isUnknown(ids)))
        ? [{ path: ['credential_sets'], message: 'must name ids of credentials' }]
        : []),
    ]
  }),
)
export type DcqlQuery = v.InferOutput<typeof DcqlQuery>
