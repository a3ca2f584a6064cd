/**
 * Chooses stored credentials for a presentation definition: those that the user names, and otherwise as few as are
 * required.
 */
import { unsatisfiedConstraints } from './constraints.ts'
import { isSatisfiedBy, matchesSchema, permits, type SchemaFacts } from './definition.ts'
import type { InputDescriptor, PresentationDefinition, SubmissionRequirement } from './definition-schema.ts'
import type { Work } from './work.ts'

export interface StoredCredential extends SchemaFacts {
  /** The id of its record. */
  id: string
  /** As its issuer wrote it. */
  json: Readonly<Record<string, unknown>>
  /** Reads its claims (see claims.ts); undefined if they can't be read. */
  claims(): Promise<unknown>
  proofType: string
  /** Ids of its subjects; empty for a bearer credential. */
  subjects: readonly string[]
}

/** Credentials by input descriptor. */
type Named = ReadonlyMap<string, readonly StoredCredential[]>

export interface Chosen {
  descriptorId: string
  credential: StoredCredential
}

/** Why nothing was chosen. `descriptorId`: the descriptor whose named credential is the reason. */
export interface UnsatisfiedReason {
  reason: string
  descriptorId?: string
}

interface Selection {
  definition: PresentationDefinition
  /** Credentials that the user names: all of them are shown, or the choice fails. */
  named: Named
  /** Credentials to choose from for the other descriptors, the preferred ones first. */
  others: readonly StoredCredential[]
  /** DID that will sign the presentation. Credentials about other subjects are not shown. */
  signer: string
}

/** Whether `signer` may show the credential: it is one of its subjects, or the credential has none. */
const mayBeShownBy = ({ subjects }: StoredCredential, signer: string): boolean =>
  subjects.length === 0 || subjects.includes(signer)

/**
 * Chooses credentials for each descriptor that must be met. Throws `WorkLimitError`, because another agent wrote the
 * definition.
 */
export const chooseCredentials = async (selection: Selection, work: Work): Promise<Chosen[] | UnsatisfiedReason> => {
  const { definition, named } = selection
  const chosen = new Map<string, readonly StoredCredential[]>()
  for (const descriptor of definition.input_descriptors) {
    const { id: descriptorId } = descriptor
    const own = named.get(descriptorId)
    for (const one of own ?? []) {
      const reason = await unsatisfiedReasonOf(one, descriptor, selection, work)
      if (reason !== undefined) return { descriptorId, reason }
    }
    const first = own ?? (await firstSuitable(descriptor, selection, work))
    if (first.length > 0) chosen.set(descriptorId, first)
  }
  const unknown = [...named.keys()].find((id) => !definition.input_descriptors.some((one) => one.id === id))
  if (unknown !== undefined) return { descriptorId: unknown, reason: 'is not a descriptor of the request' }
  const candidates: Candidates = { isNamed: (id) => named.has(id), isMet: (id) => chosen.has(id) }
  const preferred = descriptorsToShow(definition, candidates)
  const shown =
    preferred && (isSatisfiedBy(definition, preferred) ? preferred : searchDescriptors(definition, candidates, work))
  if (shown === undefined) return { reason: `no held credential satisfies ${missing(definition, chosen)}` }
  const left = [...named.keys()].find((id) => !shown.has(id))
  if (left !== undefined) return { descriptorId: left, reason: 'is not used by any submission requirement' }
  return definition.input_descriptors
    .filter(({ id }) => shown.has(id))
    .flatMap(({ id: descriptorId }) =>
      (chosen.get(descriptorId) ?? []).map((credential) => ({ descriptorId, credential })),
    )
}

/**
 * The first credential that suits. Those whose JSON meets the constraints come first: reading claims takes time, and an
 * issuer chooses how much.
 */
const firstSuitable = async (
  descriptor: InputDescriptor,
  selection: Selection,
  work: Work,
): Promise<StoredCredential[]> => {
  const { constraints = {} } = descriptor
  const later: StoredCredential[] = []
  for (const one of selection.others) {
    if (reasonWithoutClaims(one, descriptor, selection) !== undefined) continue
    if (unsatisfiedConstraints(constraints, { credential: one.json, signer: selection.signer }, work).length > 0)
      later.push(one)
    else if ((await unsatisfiedReasonOf(one, descriptor, selection, work)) === undefined) return [one]
  }
  for (const one of later) if ((await unsatisfiedReasonOf(one, descriptor, selection, work)) === undefined) return [one]
  return []
}

/** Why a credential does not suit, without reading its claims. */
const reasonWithoutClaims = (
  credential: StoredCredential,
  { schema, format }: InputDescriptor,
  { definition, signer }: Selection,
): string | undefined => {
  if (!mayBeShownBy(credential, signer)) return 'is about another subject than the one that signs the presentation'
  if (!matchesSchema(schema, credential)) return 'does not have the requested schema'
  if (![definition.format, format].every((formats) => permits(formats, 'ldp_vc', credential.proofType)))
    return 'has a proof that is not permitted'
  return undefined
}

const unsatisfiedReasonOf = async (
  credential: StoredCredential,
  descriptor: InputDescriptor,
  selection: Selection,
  work: Work,
): Promise<string | undefined> => {
  const { constraints = {} } = descriptor
  const reason = reasonWithoutClaims(credential, descriptor, selection)
  if (reason !== undefined) return reason
  const { fields = [], subject_is_issuer: selfIssued } = constraints
  const claims = fields.length === 0 && selfIssued !== 'required' ? credential.json : await credential.claims()
  if (claims === undefined) return 'cannot be read, or takes too much work to read'
  const [constraint] = unsatisfiedConstraints(constraints, { credential: claims, signer: selection.signer }, work)
  return constraint === undefined ? undefined : `does not meet the constraint ${constraint}`
}

const missing = (
  { input_descriptors: descriptors }: PresentationDefinition,
  chosen: ReadonlyMap<string, unknown>,
): string => {
  const lacking = descriptors.filter(({ id }) => !chosen.has(id)).map(({ id }) => `"${id}"`)
  return lacking.length > 0 ? lacking.slice(0, 10).join(', ') : 'the submission requirements'
}

interface Candidates {
  isNamed: (descriptorId: string) => boolean
  isMet: (descriptorId: string) => boolean
}

/**
 * All descriptors, or those that the submission requirements need: the named ones first, and others up to the required
 * number.
 */
const descriptorsToShow = (
  definition: PresentationDefinition,
  { isNamed, isMet }: Candidates,
): Set<string> | undefined => {
  const { submission_requirements: requirements, input_descriptors: descriptors } = definition
  if (requirements === undefined) return new Set(descriptors.map(({ id }) => id).filter(isMet))
  const group = (name: string) => descriptors.filter(({ group = [] }) => group.includes(name)).map(({ id }) => id)
  const shownFor = (requirement: SubmissionRequirement): string[] | undefined => {
    const { rule, count, min, from, from_nested: nested = [] } = requirement
    const parts = from === undefined ? nested.map(shownFor) : group(from).map((id) => (isMet(id) ? [id] : undefined))
    const met = parts.filter((part) => part !== undefined)
    if (rule === 'all') return met.length === parts.length ? met.flat() : undefined
    const preferred = met.toSorted((a, b) => Number(b.some(isNamed)) - Number(a.some(isNamed)))
    const minimum = Math.max(count ?? min ?? 1, met.filter((part) => part.some(isNamed)).length)
    return preferred.length < minimum ? undefined : preferred.slice(0, minimum).flat()
  }
  const shown = requirements.map(shownFor)
  return shown.includes(undefined) ? undefined : new Set(shown.flatMap((part) => part ?? []))
}

/** Descriptors of which all combinations are tried. */
const MAX_SEARCHED = 12

/** In units, of the search for one signer: another signer may have what this one lacks. */
const MAX_SEARCH = 2_000_000

/**
 * The named descriptors and as few others as satisfy the submission requirements together. Evaluated separately, two
 * requirements may show more of a group that they share than either permits.
 */
const searchDescriptors = (
  definition: PresentationDefinition,
  { isNamed, isMet }: Candidates,
  work: Work,
): Set<string> | undefined => {
  const { submission_requirements: requirements, input_descriptors: descriptors } = definition
  const met = descriptors.filter(({ id, group }) => group !== undefined && isMet(id)).map(({ id }) => id)
  if (requirements === undefined || met.length > MAX_SEARCHED) return undefined
  // A requirement has some 50 characters.
  const units = Math.ceil((JSON.stringify(requirements).length * descriptors.length) / 10)
  const [required, others] = [met.filter(isNamed), met.filter((id) => !isNamed(id))]
  const combinations = others.reduce<string[][]>((all, id) => all.concat(all.map((one) => [...one, id])), [[]])
  for (const combination of combinations.toSorted((a, b) => a.length - b.length).slice(0, MAX_SEARCH / units)) {
    work.spend(units)
    const shown = new Set([...required, ...combination])
    if (isSatisfiedBy(definition, shown)) return shown
  }
  return undefined
}
