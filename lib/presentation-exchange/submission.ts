/** The presentation submission of a wallet: which credential it presents for which input descriptor (DIF Presentation Exchange, section Presentation Submission). */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { MAX_DESCRIPTORS } from './definition.ts'
import { parseWalletPath } from './path.ts'

const Name = v.pipe(v.string(), v.maxLength(256))

const WalletPath = v.pipe(
  Name,
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
  /** Not compared: the challenge ties a presentation to its request, and a wallet's controller may have rewritten the definition (ACA-Py). */
  definition_id: Name,
  descriptor_map: v.pipe(
    v.array(Descriptor),
    v.nonEmpty('maps no descriptor'),
    v.maxLength(MAX_DESCRIPTORS, `maps more than ${MAX_DESCRIPTORS} descriptors`),
  ),
})

export type Submission = v.InferOutput<typeof Submission>

/**
 * The credential that an entry of the submission stands for, as an index into the presentation's credentials; undefined where its path leads
 * to none. The path leads to a credential, or to the presentation (`$`) and from there on by `path_nested`.
 */
export const credentialIndex = (
  { path, path_nested: nested }: Submission['descriptor_map'][number],
  credentials: number,
): number | undefined => {
  const steps = (text: string) => (parseWalletPath(text) ?? []).map(({ selectors: [selector] }) => selector)
  const [member, element, ...others] = [...steps(path), ...(nested === undefined ? [] : steps(nested.path))]
  if (member?.kind !== 'name' || member.name !== 'verifiableCredential' || others.length > 0) return undefined
  // A presentation of one credential need not have a list.
  const index = element === undefined && credentials === 1 ? 0 : element?.kind === 'index' ? element.index : -1
  return index >= 0 && index < credentials ? index : undefined
}
