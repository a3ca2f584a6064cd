/** The claims of an SD-JWT with its disclosures in their places: https://www.rfc-editor.org/rfc/rfc9901#section-7.1 */
import { MAX_DEPTH, parsePart } from '../jose/json-part.ts'
import { isObject, type JsonObject } from '../json.ts'
import { digestOf } from './digest.ts'
import { asSdJwtError, SdJwtError } from './errors.ts'
import type { SdJwt } from './parse.ts'

/** Neither they nor their members may be selectively disclosed: https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/, 2.2.2.2 */
const ALWAYS_SIGNED = ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status']

/** Names of the format, which no claim has (RFC 9901, section 4.1). */
const RESERVED = ['_sd', '...', '_sd_alg']

const invalid = (message: string) => new SdJwtError('disclosures', message)

const DISCLOSURE = /^[\w-]+$/

/** Salt, name unless it is an array's element, value. */
const parseDisclosure = (text: string): unknown[] => {
  try {
    const parts = DISCLOSURE.test(text) ? parsePart(text) : undefined
    if (Array.isArray(parts) && (parts.length === 2 || parts.length === 3) && typeof parts[0] === 'string') return parts
  } catch (error) {
    throw asSdJwtError('disclosures', error)
  }
  throw invalid('a disclosure is not a list of two or three values with a salt')
}

/** The disclosures of one presentation by their digests, of which each may occur once. */
class Disclosures {
  readonly #unused = new Map<string, unknown[]>()
  readonly #digests = new Set<unknown>()

  constructor(disclosures: string[]) {
    for (const text of disclosures) this.#unused.set(digestOf(text), parseDisclosure(text))
    if (this.#unused.size < disclosures.length) throw invalid('a disclosure occurs twice')
  }

  /** Undefined for what is not disclosed, and for decoys (RFC 9901, section 4.2.5). */
  take(digest: unknown): unknown[] | undefined {
    if (typeof digest !== 'string') throw invalid('a digest is not a text')
    if (this.#digests.has(digest)) throw invalid('a digest occurs twice')
    this.#digests.add(digest)
    const disclosure = this.#unused.get(digest)
    this.#unused.delete(digest)
    return disclosure
  }

  assertAllUsed(): void {
    if (this.#unused.size > 0) throw invalid('the SD-JWT does not contain the digest of a disclosure')
  }
}

/** Throws if the value has digests: it must be signed in plain. */
const assertNoDigests = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (RESERVED.includes(name)) throw invalid('a claim that must not be selectively disclosed has a digest')
    assertNoDigests(member)
  }
}

const discloseList = (list: unknown[], depth: number, disclosures: Disclosures): unknown[] =>
  list.flatMap((element) => {
    if (!isObject(element) || !Object.hasOwn(element, '...')) return [disclose(element, depth + 1, disclosures)]
    if (Object.keys(element).length > 1) throw invalid('an element of a list has a digest and other members')
    const disclosure = disclosures.take(element['...'])
    if (disclosure === undefined) return []
    if (disclosure.length !== 2) throw invalid('a disclosure of a member is used for an element of a list')
    return [disclose(disclosure[1], depth + 1, disclosures)]
  })

/** The name and value of each member that is disclosed. */
const disclosedMembers = (digests: unknown, disclosures: Disclosures): [string, unknown][] => {
  if (!Array.isArray(digests)) throw invalid('_sd is not a list')
  return digests.flatMap((digest): [string, unknown][] => {
    const disclosure = disclosures.take(digest)
    if (disclosure === undefined) return []
    const [, name, value] = disclosure
    if (disclosure.length !== 3) throw invalid('a disclosure of an element of a list is used for a member')
    if (typeof name !== 'string' || name === '__proto__') throw invalid('the name of a disclosed claim is not allowed')
    return [[name, value]]
  })
}

const discloseObject = ({ _sd: digests = [], ...plain }: JsonObject, depth: number, disclosures: Disclosures) => {
  const members = new Map(Object.entries(plain))
  for (const [name, value] of disclosedMembers(digests, disclosures)) {
    if (members.has(name)) throw invalid('a disclosed claim has the name of another one')
    members.set(name, value)
  }
  for (const [name, value] of members) {
    if (RESERVED.includes(name)) throw invalid('a claim has a name of the format')
    members.set(name, disclose(value, depth + 1, disclosures))
  }
  return Object.fromEntries(members)
}

const disclose = (value: unknown, depth: number, disclosures: Disclosures): unknown => {
  if (typeof value !== 'object' || value === null) return value
  // Disclosures in disclosures nest deeper than each of them does.
  if (depth > MAX_DEPTH) throw invalid(`the claims are nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) return discloseList(value, depth, disclosures)
  return discloseObject(value as JsonObject, depth, disclosures)
}

/**
 * The claims that were disclosed and those that were signed in plain, without anything of the format. Throws an
 * SdJwtError of the check `disclosures`.
 */
export const discloseClaims = (parsed: Pick<SdJwt, 'payload' | 'disclosures'>): JsonObject => {
  const { _sd_alg: algorithm = 'sha-256', ...payload } = parsed.payload
  if (algorithm !== 'sha-256') throw invalid('_sd_alg of the SD-JWT must be sha-256')
  for (const name of ALWAYS_SIGNED) assertNoDigests(payload[name])
  const disclosures = new Disclosures(parsed.disclosures)
  const claims = discloseObject(payload, 1, disclosures)
  disclosures.assertAllUsed()
  for (const name of ALWAYS_SIGNED)
    if (Object.hasOwn(claims, name) && !Object.hasOwn(payload, name))
      throw invalid(`${name} must not be selectively disclosed`)
  return claims
}
