/** Inline contexts of a presentation: one that equals a trusted document is replaced by the document's address. */
import { canonicalJson, isObject } from '../../../json.ts'
import type { ContextDocument } from './verifier-contexts.ts'

/** Every context in a document. The elements of an array are separate contexts. */
export function* contextsIn(document: unknown): Generator<unknown> {
  const pending: unknown[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
    for (const [name, member] of members)
      if (name === '@context') yield* Array.isArray(member) ? member : [member]
      else if (typeof member === 'object' && member !== null) pending.push(member)
  }
}

/** A trusted document as consecutive inline contexts (their canonical JSON), and the contexts that replace them. */
interface InlineForm {
  texts: readonly string[]
  addresses: readonly unknown[]
}

/** Cache: the built-in documents are 190 KB, and each presentation with inline contexts is compared with them. */
const canonicalTexts = new WeakMap<object, string>()

const textOf = (json: unknown): string => {
  if (!isObject(json)) return canonicalJson(json)
  const text = canonicalTexts.get(json) ?? canonicalJson(json)
  canonicalTexts.set(json, text)
  return text
}

/** Credo rejects contexts with a URN or a host without a dot. An inline context of such an address is not replaced. */
const isAcceptedByCredo = (address: string): boolean => {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.')
}

/**
 * The two inline forms of a document: the value of its `@context`, and the whole document, which processors accept too.
 * Addresses before its first inline context are kept: a credential's first context must be the credentials context.
 */
const inlineFormsOf = ([address, document]: readonly [string, ContextDocument]): InlineForm[] => {
  const contexts = [document['@context']].flat()
  const first = contexts.findIndex(isObject)
  if (first === -1 || !isAcceptedByCredo(address)) return []
  return [
    { texts: contexts.map(textOf), addresses: [...contexts.slice(0, first), address] },
    { texts: [textOf(document)], addresses: [address] },
  ]
}

/**
 * A copy of the presentation in which inline contexts that equal a document, in any order of members, are replaced by
 * its address. The copy is verified: signatures cover statements, not contexts, so a copy that stated something else
 * would not have valid proofs.
 */
export const withContextAddresses = (
  presentation: unknown,
  documents: ReadonlyMap<string, ContextDocument>,
): unknown => {
  if (![...contextsIn(presentation)].some(isObject)) return presentation
  const trusted = [...documents].flatMap(inlineFormsOf).sort((one, other) => other.texts.length - one.texts.length)

  const toAddresses = (context: unknown): unknown => {
    const contexts = Array.isArray(context) ? context : [context]
    const texts = contexts.map(canonicalJson)
    const replaced: unknown[] = []
    let isChanged = false
    for (let at = 0; at < contexts.length; ) {
      const match = trusted.find((one) => one.texts.every((text, index) => text === texts[at + index]))
      isChanged ||= match !== undefined
      replaced.push(...(match?.addresses ?? [contexts[at]]))
      at += match?.texts.length ?? 1
    }
    // In a JSON literal (JSON-LD 1.1, section 4.2.2) `@context` is an ordinary name, and its value is signed unchanged.
    return isChanged ? replaced : context
  }

  // Outer contexts first: a scoped context that equals a trusted document does not change the context that contains it.
  const text = JSON.stringify(presentation, (name, value) => (name === '@context' ? toAddresses(value) : value))
  return JSON.parse(text)
}
