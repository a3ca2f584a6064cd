/**
 * The claims of an AnonCreds presentation: revealed, unrevealed, predicates, self-attested. `isVerified` says whether
 * they were proved.
 */
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'

const Source = { schemaId: v.optional(v.string()), credentialDefinitionId: v.optional(v.string()) }

/** `name` is that of the request. The attributes of a group share a referent. */
const RequestedItem = { referent: v.string(), name: v.string() }

export const PresentedAttributes = v.strictObject({
  /** Values from a credential. */
  revealed: v.array(v.strictObject({ ...RequestedItem, value: v.string(), ...Source })),
  /** Requested but not revealed: such a presentation is not verified. */
  unrevealed: v.array(v.strictObject({ ...RequestedItem, ...Source })),
  /** As requested, over attributes that are not revealed. */
  predicates: v.array(v.strictObject({ ...RequestedItem, p_type: v.string(), p_value: v.number(), ...Source })),
  /** Claimed by the holder, without a credential. */
  selfAttested: v.array(v.strictObject({ ...RequestedItem, value: v.string() })),
})

export type PresentedAttributes = v.InferOutput<typeof PresentedAttributes>

type Referents = [referent: string, part: unknown, item: JsonObject][]

const objectIn = (parent: unknown, name: string): JsonObject => {
  const value = isObject(parent) ? parent[name] : undefined
  return isObject(value) ? value : {}
}

/** The names of a requested attribute or predicate. */
const namesOf = ({ name, names }: JsonObject): string[] =>
  [names ?? name].flat().filter((one) => typeof one === 'string')

/** Sorts the claims of a presentation. Malformed parts are left out: a wallet's JSON may have any form. */
export const presentedAttributes = (request: unknown, presentation: unknown): PresentedAttributes => {
  const requested = objectIn(presentation, 'requested_proof')
  const identifiers = isObject(presentation) && Array.isArray(presentation.identifiers) ? presentation.identifiers : []
  const presentedParts = (part: string, group: 'requested_attributes' | 'requested_predicates'): Referents => {
    const items = objectIn(request, group)
    return Object.entries(objectIn(requested, part)).flatMap(([referent, part]) => {
      const item = items[referent]
      return isObject(item) ? [[referent, part, item]] : []
    })
  }
  const sourceOf = (part: unknown) => {
    const index = isObject(part) ? part.sub_proof_index : undefined
    const identifier: unknown = typeof index === 'number' ? identifiers[index] : undefined
    const { schema_id: schemaId, cred_def_id: credentialDefinitionId } = isObject(identifier) ? identifier : {}
    return {
      ...(typeof schemaId === 'string' && { schemaId }),
      ...(typeof credentialDefinitionId === 'string' && { credentialDefinitionId }),
    }
  }
  const revealed = presentedParts('revealed_attrs', 'requested_attributes').flatMap(([referent, part, item]) =>
    namesOf(item).flatMap((name) => revealedAttribute(referent, name, part, sourceOf(part))),
  )
  const groups = presentedParts('revealed_attr_groups', 'requested_attributes').flatMap(([referent, part, item]) => {
    const values = objectIn(part, 'values')
    return namesOf(item).flatMap((name) => revealedAttribute(referent, name, values[name], sourceOf(part)))
  })
  return {
    revealed: [...revealed, ...groups],
    unrevealed: presentedParts('unrevealed_attrs', 'requested_attributes').flatMap(([referent, part, item]) =>
      namesOf(item).map((name) => ({ referent, name, ...sourceOf(part) })),
    ),
    predicates: presentedParts('predicates', 'requested_predicates').flatMap(
      ([referent, part, { p_type, p_value, ...item }]) =>
        typeof p_type === 'string' && typeof p_value === 'number'
          ? namesOf(item).map((name) => ({ referent, name, p_type, p_value, ...sourceOf(part) }))
          : [],
    ),
    selfAttested: presentedParts('self_attested_attrs', 'requested_attributes').flatMap(([referent, value, item]) =>
      typeof value === 'string' ? namesOf(item).map((name) => ({ referent, name, value })) : [],
    ),
  }
}

const revealedAttribute = <Source extends object>(referent: string, name: string, part: unknown, source: Source) =>
  isObject(part) && typeof part.raw === 'string' ? [{ referent, name, value: part.raw, ...source }] : []
