/**
 * Selects stored AnonCreds credentials for a proof request: those that the caller names, and otherwise the first
 * suitable ones, preferably irrevocable ones.
 */
import {
  type AnonCredsCredentialInfo,
  type AnonCredsHolderService,
  AnonCredsHolderServiceSymbol,
  type AnonCredsProofRequest,
  type AnonCredsSelectedCredentials,
  fetchRevocationStatusList,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError, W3cCredentialRepository } from '@credo-ts/core'
import { invalidField } from '../../../errors.ts'
import type { ProofAcceptance } from '../../../interface/proof-acceptance.ts'
import { commonName } from '../../../records/anoncreds-objects.ts'
import {
  namesOf,
  type Request,
  type RequestedAttribute,
  type RequestedPredicate,
  UNUSED,
} from './presentation-checks/index.ts'
import { isInt32 } from './values/index.ts'

/**
 * The caller's choice. `filterByNonRevocationRequirements`: whether to skip revoked credentials if non-revocation is
 * requested. Default: true.
 */
export type CredentialChoice = NonNullable<ProofAcceptance['proofFormats']['anoncreds']> &
  Partial<Pick<ProofAcceptance, 'filterByNonRevocationRequirements'>>

/** Maximum number of records to check for a request. Each costs about 0.5 ms, and the verifier writes the request. */
const MAX_CHECKED = 2_000

type Item = RequestedAttribute | RequestedPredicate

interface Match {
  credentialId: string
  credentialInfo: AnonCredsCredentialInfo
  timestamp?: number
}

interface StoredMatch {
  match: Match
  /** Values of the credential by common name. */
  values: ReadonlyMap<string, unknown>
}

/**
 * Throws `request.invalid` if nothing matches, with the path of the named credential that does not match. `format` is
 * the path of the format in the request.
 */
export const selectCredentials = async (
  agentContext: AgentContext,
  request: Request,
  choice: CredentialChoice,
  format: string,
): Promise<AnonCredsSelectedCredentials> => {
  const { credentials: named = {}, selfAttestedAttributes = {} } = choice
  const { requested_attributes: attributes, requested_predicates: predicates } = request
  assertRequested(request, choice, format)
  const records = agentContext.resolve(W3cCredentialRepository)
  // Queries of the unit of work also find records that it has read, which may be too old for the query's limit.
  for (const id of new Set(Object.values(named).flat())) await records.findById(agentContext, id)
  const search = new CredentialSearch(agentContext, request)
  const selected: AnonCredsSelectedCredentials = { attributes: {}, predicates: {}, selfAttestedAttributes }
  const matchFor = async (referent: string, item: Item): Promise<Match> => {
    // The verifier chooses referents: `toString` is possible.
    const ids = Object.hasOwn(named, referent) ? named[referent] : undefined
    const path = ids === undefined ? format : `${format}.credentials.${referent}`
    const matches = (await search.matching(referent, item)).filter(
      ({ credentialId }) => ids?.includes(credentialId) ?? true,
    )
    for (const match of matches) {
      const interval = item.non_revoked ?? request.non_revoked
      const { isRevoked, timestamp } = await statusOf(agentContext, match, interval?.to ?? undefined)
      if (!isRevoked || choice.filterByNonRevocationRequirements === false)
        return { ...match, ...(timestamp !== undefined && { timestamp }) }
    }
    throw invalidField(path, `has no credential of this agent that matches "${referent}" of the request`)
  }
  for (const [referent, item] of Object.entries(attributes))
    if (!Object.hasOwn(selfAttestedAttributes, referent))
      selected.attributes[referent] = { ...(await matchFor(referent, item)), revealed: true }
  for (const [referent, item] of Object.entries(predicates))
    selected.predicates[referent] = await matchFor(referent, item)
  // The library needs the link secret of a credential.
  if (Object.keys({ ...selected.attributes, ...selected.predicates }).length === 0)
    throw invalidField(format, 'must use a credential for at least one attribute or predicate')
  return selected
}

/**
 * Checks the caller's choices: the request must have their referents, and an attribute that requires an issuer cannot
 * be self-attested.
 */
const assertRequested = (request: Request, choice: CredentialChoice, format: string): void => {
  const { credentials = {}, selfAttestedAttributes = {} } = choice
  const { requested_attributes: attributes, requested_predicates: predicates } = request
  for (const referent of Object.keys(credentials))
    if (!Object.hasOwn(attributes, referent) && !Object.hasOwn(predicates, referent))
      throw invalidField(`${format}.credentials.${referent}`, 'is not requested')
  for (const referent of Object.keys(selfAttestedAttributes)) {
    const item = Object.hasOwn(attributes, referent) ? attributes[referent] : undefined
    if (item?.name === undefined || (item.restrictions ?? []).length > 0 || Object.hasOwn(credentials, referent))
      throw invalidField(
        `${format}.selfAttestedAttributes.${referent}`,
        'must be a single attribute that is requested without restrictions',
      )
  }
}

/** Searches stored credentials through Credo, each search once. */
class CredentialSearch {
  readonly #agentContext: AgentContext
  readonly #request: Request
  readonly #searches = new Map<string, Promise<StoredMatch[]>>()
  #checkedCount = 0

  constructor(agentContext: AgentContext, request: Request) {
    this.#agentContext = agentContext
    this.#request = request
  }

  async matching(referent: string, item: Item): Promise<Match[]> {
    const restrictions = JSON.stringify(item.restrictions)
    const search = this.#searches.get(restrictions) ?? this.#find(referent, item)
    this.#searches.set(restrictions, search)
    return (await search).filter(({ values }) => hasRequested(item, values)).map(({ match }) => match)
  }

  /** By the restrictions alone, because a request usually names several attributes of one credential. */
  async #find(attributeReferent: string, { restrictions }: Item): Promise<StoredMatch[]> {
    const holder = this.#agentContext.resolve<AnonCredsHolderService>(AnonCredsHolderServiceSymbol)
    const { requested_attributes: attributes } = this.#request
    const requested_attributes = { ...attributes, [attributeReferent]: { names: [], restrictions } }
    const credentials = await holder.getCredentialsForProofRequest(this.#agentContext, {
      proofRequest: { ...UNUSED, ...this.#request, requested_attributes } as AnonCredsProofRequest,
      attributeReferent,
      extraQuery: ANONCREDS_ONLY,
    })
    this.#checkedCount += credentials.length
    if (this.#checkedCount > MAX_CHECKED) throw new CredoError('too many credentials match the request')
    // "Preference for Irrevocable Credentials" (Aries RFC 0441): they need no tails file and no status list.
    const irrevocableFirst = credentials.toSorted((one, other) => Number(isRevocable(one)) - Number(isRevocable(other)))
    return irrevocableFirst.map(({ credentialInfo }) => ({
      match: { credentialId: credentialInfo.credentialId, credentialInfo },
      values: new Map(Object.entries(credentialInfo.attributes).map(([name, value]) => [commonName(name), value])),
    }))
  }
}

const isRevocable = ({ credentialInfo }: Pick<Match, 'credentialInfo'>): boolean =>
  credentialInfo.revocationRegistryId !== null

/** JSON-LD credentials, which are stored as such records too, have no schema of AnonCreds. */
const ANONCREDS_ONLY = { $not: { anonCredsSchemaId: null } }

/** Whether a credential has the requested attributes, or satisfies the predicate. */
const hasRequested = (item: Item, values: StoredMatch['values']): boolean =>
  'p_type' in item ? satisfies(item, values) : namesOf(item).every((name) => values.has(commonName(name)))

/** Whether a value satisfies a predicate. Only 32-bit integers are compared. */
const satisfies = (
  { name, p_type: type, p_value: than }: RequestedPredicate,
  values: StoredMatch['values'],
): boolean => {
  const raw = String(values.get(commonName(name)))
  if (!isInt32(raw)) return false
  const value = Number(raw)
  if (type === '>=') return value >= than
  if (type === '>') return value > than
  return type === '<=' ? value <= than : value < than
}

/** Status of a revocable credential in the list that was valid at `to` (epoch seconds). */
const statusOf = async (
  agentContext: AgentContext,
  { credentialInfo: { revocationRegistryId, credentialRevocationId } }: Match,
  to: number | undefined,
): Promise<{ isRevoked: boolean; timestamp?: number }> => {
  if (to === undefined || revocationRegistryId === null || credentialRevocationId === null) return { isRevoked: false }
  const { revocationStatusList: list } = await fetchRevocationStatusList(agentContext, revocationRegistryId, to)
  return { isRevoked: list.revocationList[Number(credentialRevocationId)] === 1, timestamp: list.timestamp }
}
