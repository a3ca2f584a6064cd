/** Selects held AnonCreds credentials for a proof request: those that the caller names, and otherwise the first suitable ones. */
import {
  type AnonCredsCredentialInfo,
  type AnonCredsHolderService,
  AnonCredsHolderServiceSymbol,
  type AnonCredsProofRequest,
  type AnonCredsSelectedCredentials,
  fetchRevocationStatusList,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import { invalidField } from '../../../errors.ts'
import type { RequestedPredicate } from './presentation-checks/index.ts'
import type { ReceivedRequest } from './received-request.ts'
import { isInt32 } from './values/index.ts'

export interface AnonCredsAnswer {
  /** By referent: a list with the id of the record to present. */
  credentials?: Readonly<Record<string, readonly string[]>> | undefined
  selfAttestedAttributes?: Readonly<Record<string, string>> | undefined
  /** Whether to skip revoked credentials if the request asks for non-revocation. Default: true. */
  filterByNonRevocationRequirements?: boolean | undefined
}

/** Maximum number of records to check for a request. Each costs about 0.5 ms, and the verifier writes the request. */
const MAX_CHECKED = 2_000

type Asked = ReceivedRequest['requested_attributes'][string] | RequestedPredicate

interface Match {
  credentialId: string
  credentialInfo: AnonCredsCredentialInfo
  timestamp?: number
}

/** Throws `request.invalid` if nothing matches, with the path of the named credential that does not. `format` is the format's path. */
export const selectCredentials = async (
  agentContext: AgentContext,
  request: ReceivedRequest,
  answer: AnonCredsAnswer,
  format: string,
): Promise<AnonCredsSelectedCredentials> => {
  const { credentials: named = {}, selfAttestedAttributes = {} } = answer
  const { requested_attributes: attributes, requested_predicates: predicates } = request
  assertAsked(request, answer, format)
  const held = new HeldCredentials(agentContext, request)
  const selected: AnonCredsSelectedCredentials = { attributes: {}, predicates: {}, selfAttestedAttributes }
  const fits = async (referent: string, asked: Asked): Promise<Match> => {
    // The verifier chooses referents: `toString` is possible.
    const ids = Object.hasOwn(named, referent) ? named[referent] : undefined
    const path = ids === undefined ? format : `${format}.credentials.${referent}`
    const matches = (await held.matching(referent, asked)).filter(
      ({ credentialId }) => ids?.includes(credentialId) ?? true,
    )
    for (const match of matches) {
      const interval = asked.non_revoked ?? request.non_revoked
      const { isRevoked, timestamp } = await statusOf(agentContext, match, interval?.to ?? undefined)
      if (!isRevoked || answer.filterByNonRevocationRequirements === false)
        return { ...match, ...(timestamp !== undefined && { timestamp }) }
    }
    throw invalidField(path, `has no credential of this agent that fits what is asked for as "${referent}"`)
  }
  for (const [referent, asked] of Object.entries(attributes))
    if (!Object.hasOwn(selfAttestedAttributes, referent))
      selected.attributes[referent] = { ...(await fits(referent, asked)), revealed: true }
  for (const [referent, asked] of Object.entries(predicates))
    selected.predicates[referent] = await fits(referent, asked)
  // The library needs the link secret of a credential.
  if (Object.keys({ ...selected.attributes, ...selected.predicates }).length === 0)
    throw invalidField(format, 'asks for nothing of a credential')
  return selected
}

/** Checks the caller's choices: their referents have to be requested, and an attribute that requires an issuer can't be self-attested. */
const assertAsked = (request: ReceivedRequest, answer: AnonCredsAnswer, format: string): void => {
  const { credentials = {}, selfAttestedAttributes = {} } = answer
  const { requested_attributes: attributes, requested_predicates: predicates } = request
  for (const referent of Object.keys(credentials))
    if (!Object.hasOwn(attributes, referent) && !Object.hasOwn(predicates, referent))
      throw invalidField(`${format}.credentials.${referent}`, 'is not asked for')
  for (const referent of Object.keys(selfAttestedAttributes)) {
    const asked = Object.hasOwn(attributes, referent) ? attributes[referent] : undefined
    if (asked?.name === undefined || (asked.restrictions ?? []).length > 0 || Object.hasOwn(credentials, referent))
      throw invalidField(
        `${format}.selfAttestedAttributes.${referent}`,
        'is no single attribute that is asked for without a restriction',
      )
  }
}

/** Searches held credentials through Credo, each search once. */
class HeldCredentials {
  readonly #agentContext: AgentContext
  readonly #request: ReceivedRequest
  readonly #found = new Map<string, Promise<Match[]>>()
  #checkedCount = 0

  constructor(agentContext: AgentContext, request: ReceivedRequest) {
    this.#agentContext = agentContext
    this.#request = request
  }

  async matching(referent: string, asked: Asked): Promise<Match[]> {
    const { name, restrictions } = asked
    const question = JSON.stringify([name, 'names' in asked ? asked.names : undefined, restrictions])
    const found = this.#found.get(question) ?? this.#find(referent)
    this.#found.set(question, found)
    const matches = await found
    return 'p_type' in asked ? matches.filter(({ credentialInfo }) => satisfies(asked, credentialInfo)) : matches
  }

  async #find(attributeReferent: string): Promise<Match[]> {
    const holder = this.#agentContext.resolve<AnonCredsHolderService>(AnonCredsHolderServiceSymbol)
    const found = await holder.getCredentialsForProofRequest(this.#agentContext, {
      // Name and version are not used.
      proofRequest: { name: '', version: '', ...this.#request } as AnonCredsProofRequest,
      attributeReferent,
    })
    this.#checkedCount += found.length
    if (this.#checkedCount > MAX_CHECKED) throw new CredoError('too many credentials match what is asked for')
    return found.map(({ credentialInfo }) => ({ credentialId: credentialInfo.credentialId, credentialInfo }))
  }
}

/** Whether a value satisfies a predicate. Only 32-bit integers are compared. */
const satisfies = (
  { name, p_type: type, p_value: than }: RequestedPredicate,
  { attributes }: AnonCredsCredentialInfo,
): boolean => {
  const raw = String(attributes[name])
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
