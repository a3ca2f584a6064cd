/**
 * Compares a verified presentation and its submission (DIF Presentation Exchange, section Presentation Submission) with
 * the definition.
 */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { unsatisfiedConstraints } from './constraints.ts'
import { isSatisfiedBy, matchesSchema, permits, type SchemaFacts } from './definition.ts'
import { type InputDescriptor, MAX_DESCRIPTORS, type PresentationDefinition } from './definition-schema.ts'
import { parseWalletPath } from './path.ts'
import { Work, WorkLimitError } from './work.ts'

const Name = v.pipe(v.string(), v.maxLength(256))

const WalletPath = v.pipe(
  v.string(),
  v.check((text) => parseWalletPath(text) !== undefined, 'has a path that is not made of names and indexes only'),
)

const Descriptor = v.pipe(
  v.custom<Record<string, unknown>>(isObject),
  v.object({
    id: Name,
    format: Name,
    path: WalletPath,
    path_nested: v.optional(v.object({ format: Name, path: WalletPath, path_nested: v.optional(v.never()) })),
  }),
)

export const Submission = v.object({
  id: v.optional(Name),
  /**
   * Not compared: the challenge binds the presentation to its request, and the controller of an ACA-Py may have changed
   * the definition.
   */
  definition_id: Name,
  descriptor_map: v.pipe(
    v.array(Descriptor),
    v.nonEmpty('maps no descriptor'),
    v.maxLength(MAX_DESCRIPTORS, `maps more than ${MAX_DESCRIPTORS} descriptors`),
  ),
})

export type Submission = v.InferOutput<typeof Submission>

/**
 * The index that an entry of the submission names, by `path` alone or by `path` and `path_nested`; undefined if it names
 * none.
 */
const credentialIndex = (
  { path, path_nested: nested }: Submission['descriptor_map'][number],
  credentials: number,
): number | undefined => {
  const steps = (text: string) => (parseWalletPath(text) ?? []).map(({ selectors: [selector] }) => selector)
  const [member, element, ...others] = [...steps(path), ...(nested === undefined ? [] : steps(nested.path))]
  if (member?.kind !== 'name' || member.name !== 'verifiableCredential' || others.length > 0) return undefined
  // A single credential may be outside of a list.
  if (element === undefined) return credentials === 1 ? 0 : undefined
  return element.kind === 'index' ? element.index : undefined
}

/** A verified credential. */
export interface PresentedCredential extends SchemaFacts {
  /** In the terms of the verifier's contexts (see claims.ts). */
  claims: unknown
  proofType: string
}

export interface Presented {
  /** DID that signed the presentation. */
  signer: string
  proofType: string
  credentials: readonly PresentedCredential[]
}

/** Why the presentation does not satisfy the definition, in a sentence; undefined if it does. */
export const unsatisfiedReason = (
  definition: PresentationDefinition,
  submission: Submission,
  presented: Presented,
): string | undefined => {
  if (!permits(definition.format, 'ldp_vp', presented.proofType))
    return 'the definition does not permit the proof type of the presentation'
  try {
    return unsatisfiedReasonOfCredentials(definition, submission, presented)
  } catch (error) {
    if (error instanceof WorkLimitError) return error.message
    throw error
  }
}

const unsatisfiedReasonOfCredentials = (
  definition: PresentationDefinition,
  submission: Submission,
  { signer, credentials }: Presented,
): string | undefined => {
  const work = new Work()
  const met = new Set<string>()
  for (const entry of submission.descriptor_map) {
    const descriptor = definition.input_descriptors.find(({ id }) => id === entry.id)
    if (descriptor === undefined) return 'the submission names a descriptor that the definition does not have'
    const credential = credentials[credentialIndex(entry, credentials.length) ?? -1]
    if (credential === undefined)
      return `the path of descriptor "${entry.id}" leads to no credential of the presentation`
    const unsatisfied = firstUnsatisfied(credential, descriptor, definition, signer, work)
    if (unsatisfied !== undefined) return `descriptor "${entry.id}" is not met: ${unsatisfied}`
    met.add(entry.id)
  }
  return isSatisfiedBy(definition, met) ? undefined : 'the presentation does not satisfy the whole definition'
}

const firstUnsatisfied = (
  credential: PresentedCredential,
  { schema, format, constraints = {} }: InputDescriptor,
  definition: PresentationDefinition,
  signer: string,
  work: Work,
): string | undefined => {
  if (!matchesSchema(schema, credential)) return 'schema'
  if (![definition.format, format].every((formats) => permits(formats, 'ldp_vc', credential.proofType))) return 'format'
  return unsatisfiedConstraints(constraints, { credential: credential.claims, signer }, work)[0]
}
