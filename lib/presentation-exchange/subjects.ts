/** Subjects of a credential (W3C Verifiable Credentials Data Model 1.1, section 4.4), and which of them a claim is about. */
import { isObject } from '../json.ts'
import type { Location } from './select.ts'

const property = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

const idOf = (value: unknown): string | undefined => {
  const id = typeof value === 'string' ? value : property(value, 'id')
  return typeof id === 'string' ? id : undefined
}

const subjectsOf = (credential: unknown): readonly unknown[] => {
  const subjects = property(credential, 'credentialSubject')
  return Array.isArray(subjects) ? subjects : [subjects]
}

/** Ids of all subjects; undefined for a subject without one. */
export const subjectIds = (credential: unknown): (string | undefined)[] => subjectsOf(credential).map(idOf)

/** Id of the issuer. */
export const issuerId = (credential: unknown): string | undefined => idOf(property(credential, 'issuer'))

/** Ids of the subjects that the claim at a location is about: the one that it lies in, or else all of the credential. */
export const subjectIdsOf = (credential: unknown, [root, index]: Location): (string | undefined)[] => {
  const ids = subjectIds(credential)
  return root === 'credentialSubject' && typeof index === 'number' ? [ids[index]] : ids
}
