/** Makes SD-JWTs: https://www.rfc-editor.org/rfc/rfc9901#section-4 */
import { type KeyObject, randomBytes } from 'node:crypto'
import { MAX_DEPTH } from '../jose/json-part.ts'
import { signJwt } from '../jose/jwt.ts'
import { findViolation, isObject, type JsonObject } from '../json.ts'
import { digestOf } from './digest.ts'

/** Never selectively disclosable: https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/, 2.2.2.2; and `iat`, which all copies share. */
const ALWAYS_SIGNED = ['iss', 'nbf', 'exp', 'iat', 'cnf', 'vct', 'vct#integrity', 'status']

/** Names that no claim has (RFC 9901, section 4.1), and one that is lost where objects are copied. */
const FORBIDDEN = ['_sd', '...', '_sd_alg', '__proto__']

/** Digests of one credential: readers of SD-JWTs accept no more disclosures. */
const MAX_DIGESTS = 200

/** A member of an object, or an element of a list by its index. */
const memberOf = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) && (!Array.isArray(value) || /^\d+$/.test(name)) ? Reflect.get(value, name) : undefined

interface FrameParts {
  /** Of the claims that can be disclosed alone. */
  names: string[]
  decoys: number
  nested: [string, unknown][]
}

/** Undefined for what is not a frame. */
const partsOf = (frame: unknown): FrameParts | undefined => {
  if (!isObject(frame)) return undefined
  const { _sd: names = [], _sd_decoy: decoys = 0, ...nested } = frame
  if (!Array.isArray(names) || !Number.isInteger(decoys) || Number(decoys) < 0) return undefined
  return { names: names.map(String), decoys: Number(decoys), nested: Object.entries(nested) }
}

/** What is wrong with the part of a frame at `path`, as a clause. Adds its digests to `size`. */
const violationAt = (value: unknown, frame: unknown, path: string[], size: { digests: number }): string | undefined => {
  const where = path.join('.') || 'the frame'
  const parts = partsOf(frame)
  if (parts === undefined) return `${where} must have a list as _sd, and a number as _sd_decoy`
  if (typeof value !== 'object' || value === null) return `${where} is neither an object nor a list in the payload`
  // The digests are a level below.
  if (path.length > MAX_DEPTH - 2) return `${where} is nested too deeply`
  const { names, decoys, nested } = parts
  size.digests += names.length + decoys
  if (new Set(names).size < names.length) return `${where} names a claim twice`
  for (const name of [...names, ...nested.map(([one]) => one)]) {
    if (memberOf(value, name) === undefined) return `${where} names a claim that the payload does not have`
    if (path.length === 0 && ALWAYS_SIGNED.includes(name)) return `${name} is always disclosed`
  }
  for (const [name, inner] of nested) {
    const violation = violationAt(memberOf(value, name), inner, [...path, name], size)
    if (violation !== undefined) return violation
  }
  return undefined
}

/**
 * Why a payload can't be issued with a frame, as a clause; undefined if it can. `_sd` of a frame has the names of an
 * object's members, or the indexes of a list's elements, that can be disclosed alone; its other members are the frames
 * of members and elements. `_sd_decoy`: the number of decoy digests beside them.
 */
export const frameViolation = (payload: JsonObject, frame: unknown = {}): string | undefined => {
  if (findViolation(payload, { maxDepth: MAX_DEPTH - 1, forbidden: FORBIDDEN }) !== undefined)
    return `it must not be deeper than ${MAX_DEPTH} levels, and have no claim with the name ${FORBIDDEN.join(', ')}`
  const size = { digests: 0 }
  const violation = violationAt(payload, frame, [], size)
  return violation ?? (size.digests > MAX_DIGESTS ? `it has over ${MAX_DIGESTS} claims and decoys` : undefined)
}

/** 128 bits, a new one for each disclosure of each copy. */
const newSalt = (): string => randomBytes(16).toString('base64url')

/** Replaces what a frame names by digests, inner claims first, and collects the disclosures. */
const hide = (value: unknown, frame: unknown, disclosures: string[]): unknown => {
  const parts = partsOf(frame)
  if (parts === undefined || typeof value !== 'object' || value === null) return value
  const frames = new Map(parts.nested)
  const isHidden = ([name]: [string, unknown]) => parts.names.includes(name)
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    hide(member, frames.get(name), disclosures),
  ])
  const digestOfNew = (content: unknown[]): string => {
    const disclosure = Buffer.from(JSON.stringify([newSalt(), ...content])).toString('base64url')
    disclosures.push(disclosure)
    return digestOf(disclosure)
  }
  const decoys = Array.from({ length: parts.decoys }, () => digestOf(newSalt()))
  if (Array.isArray(value)) {
    const elements = members.map((one) => (isHidden(one) ? { '...': digestOfNew([one[1]]) } : one[1]))
    return [...elements, ...decoys.map((digest) => ({ '...': digest }))]
  }
  // Sorted: their order does not reveal the order of the claims (section 4.2.4.1).
  const digests = [...members.filter(isHidden).map(digestOfNew), ...decoys].sort()
  const plain = Object.fromEntries(members.filter((one) => !isHidden(one)))
  return digests.length === 0 ? plain : { ...plain, _sd: digests }
}

interface Issued {
  /** On P-256. */
  key: KeyObject
  /** Besides `alg`. */
  header: JsonObject
  claims: JsonObject
  frame: JsonObject | undefined
}

/** Signs claims, with those that the frame names as disclosures. The frame was checked by `frameViolation`. */
export const issueSdJwt = async ({ key, header, claims, frame }: Issued): Promise<string> => {
  const disclosures: string[] = []
  const payload = { ...Object(hide(claims, frame, disclosures)), ...(frame && { _sd_alg: 'sha-256' }) }
  return `${[await signJwt(key, header, payload), ...disclosures].join('~')}~`
}
