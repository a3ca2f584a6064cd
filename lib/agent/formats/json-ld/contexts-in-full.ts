/** Contexts that a presentation has in full: one that equals a trusted document counts as its address. */
import { canonicalJson, isObject } from '../../../json.ts'
import type { ContextDocument } from './verifier-contexts.ts'

/** Every context of a document. The members of a list count separately. */
export function* contextsIn(document: unknown): Generator<unknown> {
  const pending: unknown[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
    for (const [name, member] of members)
      if (name === '@context') yield* Array.isArray(member) ? member : [member]
      else if (typeof member === 'object' && member !== null) pending.push(member)
  }
}

/** A trusted document as it stands in full among others, and what takes its place. */
interface InFull {
  texts: readonly string[]
  addresses: readonly unknown[]
}

/** Those that the service carries are 190 KB, and are compared in each presentation that has contexts in full. */
const textsOfDocuments = new WeakMap<object, string>()

const textOf = (json: unknown): string => {
  if (!isObject(json)) return canonicalJson(json)
  const text = textsOfDocuments.get(json) ?? canonicalJson(json)
  textsOfDocuments.set(json, text)
  return text
}

/** Credo takes no URN in a credential, and no host without a dot. A context in full of such an address stays as it is. */
const isTakenByCredo = (address: string): boolean => {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.')
}

/**
 * The forms of a document: its contexts, and the document itself, which issuers write and processors take. Addresses
 * before its first context in full stay: the first of a credential has to be that of the credentials context.
 */
const formsOf = ([address, document]: readonly [string, ContextDocument]): InFull[] => {
  const contexts = [document['@context']].flat()
  const first = contexts.findIndex(isObject)
  if (first === -1 || !isTakenByCredo(address)) return []
  return [
    { texts: contexts.map(textOf), addresses: [...contexts.slice(0, first), address] },
    { texts: [textOf(document)], addresses: [address] },
  ]
}

/**
 * The presentation with addresses in the place of contexts in full that equal the documents there, in any order of
 * members. This copy is what is verified: signatures cover statements, not contexts, so it states what was signed, or
 * its proofs are not valid.
 */
export const withContextAddresses = (
  presentation: unknown,
  documents: ReadonlyMap<string, ContextDocument>,
): unknown => {
  if (![...contextsIn(presentation)].some(isObject)) return presentation
  const trusted = [...documents].flatMap(formsOf).sort((one, other) => other.texts.length - one.texts.length)

  const inAddresses = (context: unknown): unknown => {
    const contexts = Array.isArray(context) ? context : [context]
    const texts = contexts.map(canonicalJson)
    const replaced: unknown[] = []
    let isChanged = false
    for (let at = 0; at < contexts.length; ) {
      const found = trusted.find((one) => one.texts.every((text, index) => text === texts[at + index]))
      isChanged ||= found !== undefined
      replaced.push(...(found?.addresses ?? [contexts[at]]))
      at += found?.texts.length ?? 1
    }
    // In a JSON literal (JSON-LD 1.1, section 4.2.2) it is a name like any other, and its value is signed as it is.
    return isChanged ? replaced : context
  }

  // From the outside in: a context of a term that equals a trusted document does not change the one that it is in.
  const text = JSON.stringify(presentation, (name, value) => (name === '@context' ? inAddresses(value) : value))
  return JSON.parse(text)
}
