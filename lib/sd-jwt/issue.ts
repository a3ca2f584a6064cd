/** Makes SD-JWTs: https://www.rfc-editor.org/rfc/rfc9901#section-4 */
import { type KeyObject, randomBytes } from 'node:crypto'
import { signJwt } from '../jose/jwt.ts'
import { isObject, type JsonObject } from '../json.ts'
import { digestOf } from './digest.ts'

/** Never selectively disclosable at the top: https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/, 2.2.2.2; `iat` by us. */
const ALWAYS_SIGNED = ['iss', 'nbf', 'exp', 'iat', 'cnf', 'vct', 'vct#integrity', 'status', '_sd_alg']

/** Names that no claim has (RFC 9901, section 4.1), and one that is lost where objects are copied. */
const FORBIDDEN = ['_sd', '...', '_sd_alg', '__proto__']

const MAX_DECOYS = 50

/** Disclosures of one credential: readers of SD-JWTs take no more. */
const MAX_DISCLOSURES = 200

/**
 * Which claims can be disclosed alone: `_sd` has names of an object's members, or indexes of a list's elements, and other
 * members are the frames of members and elements. `_sd_decoy`: digests of nothing, beside them.
 */
export type Frame = JsonObject

const hasForbiddenName = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, member]) => FORBIDDEN.includes(name) || hasForbiddenName(member))
}

/** The members of an object or a list by name or index: only own ones. */
const memberOf = (value: object, name: unknown): unknown =>
  Object.hasOwn(value, String(name)) ? Reflect.get(value, String(name)) : undefined

/** What is wrong with a frame at `path`, as a clause. Counts digests in `size`. */
const violationAt = (value: unknown, frame: unknown, path: string[], size: { count: number }): string | undefined => {
  const where = path.join('.') || 'it'
  if (!isObject(frame)) return `${where} must be an object`
  if (typeof value !== 'object' || value === null) return `${where} is not an object or a list in the payload`
  const { _sd: names = [], _sd_decoy: decoys = 0, ...nested } = frame
  if (!Array.isArray(names)) return `${[...path, '_sd'].join('.')} must be a list`
  if (!Number.isInteger(decoys) || Number(decoys) < 0 || Number(decoys) > MAX_DECOYS)
    return `${[...path, '_sd_decoy'].join('.')} must be a number up to ${MAX_DECOYS}`
  size.count += names.length + Number(decoys)
  if (new Set(names.map(String)).size < names.length) return `${where} names a claim twice`
  for (const name of [...names, ...Object.keys(nested)]) {
    const isName = Array.isArray(value) ? /^\d+$/.test(String(name)) : typeof name === 'string'
    if (!isName || memberOf(value, name) === undefined) return `${where} names a claim that the payload does not have`
    if (path.length === 0 && ALWAYS_SIGNED.includes(String(name))) return `${name} is always disclosed`
  }
  for (const [name, inner] of Object.entries(nested)) {
    const violation = violationAt(memberOf(value, name), inner, [...path, name], size)
    if (violation !== undefined) return violation
  }
  return undefined
}

/** Why a payload can't be issued with a frame, as a clause; undefined if it can. */
export const frameViolation = (payload: JsonObject, frame: unknown = {}): string | undefined => {
  if (hasForbiddenName(payload)) return `no claim may be named ${FORBIDDEN.join(', ')}`
  const size = { count: 0 }
  const violation = violationAt(payload, frame, [], size)
  return violation ?? (size.count > MAX_DISCLOSURES ? `it has over ${MAX_DISCLOSURES} claims and decoys` : undefined)
}

/** 128 bits, of its own for each disclosure of each copy. */
const newSalt = (): string => randomBytes(16).toString('base64url')

/** Replaces what a frame names by digests, inner claims first, and collects the disclosures. */
const hide = (value: unknown, frame: unknown, disclosures: string[]): unknown => {
  if (!isObject(frame) || typeof value !== 'object' || value === null) return value
  const { _sd: named, _sd_decoy: decoys = 0 } = frame
  const names = new Set((Array.isArray(named) ? named : []).map(String))
  const digestOfNew = (parts: unknown[]): string => {
    const disclosure = Buffer.from(JSON.stringify([newSalt(), ...parts])).toString('base64url')
    disclosures.push(disclosure)
    return digestOf(disclosure)
  }
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    hide(member, memberOf(frame, name), disclosures),
  ])
  const decoyDigests = Array.from({ length: Number(decoys) }, () => digestOf(newSalt()))
  if (Array.isArray(value))
    return [
      ...members.map(([index, member]) => (names.has(index) ? { '...': digestOfNew([member]) } : member)),
      ...decoyDigests.map((digest) => ({ '...': digest })),
    ]
  const digests = members.filter(([name]) => names.has(name)).map(digestOfNew)
  const plain = Object.fromEntries(members.filter(([name]) => !names.has(name)))
  // Sorted: their order tells nothing of that of the claims (section 4.2.4.1).
  const all = [...digests, ...decoyDigests].sort()
  return all.length === 0 ? plain : { ...plain, _sd: all }
}

export interface Issued {
  /** On P-256. */
  key: KeyObject
  /** Besides `alg`. */
  header: JsonObject
  claims: JsonObject
  frame: Frame | undefined
}

/** Signs claims, with those that the frame names as disclosures. The frame was checked by `frameViolation`. */
export const issueSdJwt = async ({ key, header, claims, frame }: Issued): Promise<string> => {
  const disclosures: string[] = []
  const payload = hide(claims, frame, disclosures) as JsonObject
  const hidesSome = frame !== undefined && Object.keys(frame).length > 0
  const jwt = await signJwt(key, header, { ...payload, ...(hidesSome && { _sd_alg: 'sha-256' }) })
  return `${[jwt, ...disclosures].join('~')}~`
}
