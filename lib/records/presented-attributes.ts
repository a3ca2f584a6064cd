/**
 * The claims of an AnonCreds presentation: revealed, unrevealed, predicates, self-attested. `isVerified` says whether
 * they were proved.
 */
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'

const Source = { schemaId: v.optional(v.string()), credentialDefinitionId: v.optional(v.string()) }

/** `name` is that of the request. The attributes of a group share a referent. */
const Answered = { referent: v.string(), name: v.string() }

export const PresentedAttributes = v.strictObject({
  /** Values from a credential. */
  revealed: v.array(v.strictObject({ ...Answered, value: v.string(), ...Source })),
  /** Requested but not revealed: such a presentation is not verified. */
  unrevealed: v.array(v.strictObject({ ...Answered, ...Source })),
  /** As requested, over attributes that are not revealed. */
  predicates: v.array(v.strictObject({ ...Answered, p_type: v.string(), p_value: v.number(), ...Source })),
  /** Claimed by the holder, without a credential. */
  selfAttested: v.array(v.strictObject({ ...Answered, value: v.string() })),
})

export type PresentedAttributes = v.InferOutput<typeof PresentedAttributes>

type Referents = [referent: string, answer: unknown, asked: JsonObject][]

const objectIn = (parent: unknown, name: string): JsonObject => {
  const value = isObject(parent) ? parent[name] : undefined
  return isObject(value) ? value : {}
}

/** The names of a requested attribute or predicate. */
const namesOf = ({ name, names }: JsonObject): string[] =>
  [names ?? name].flat().filter((one) => typeof one === 'string')

/** Sorts the claims of a presentation. Parts that are malformed are left out: the wallet may have sent anything. */
export const presentedAttributes = (request: unknown, presentation: unknown): PresentedAttributes => {
  const requested = objectIn(presentation, 'requested_proof')
  const identifiers = isObject(presentation) && Array.isArray(presentation.identifiers) ? presentation.identifiers : []
  const answers = (part: string, group: 'requested_attributes' | 'requested_predicates'): Referents => {
    const asked = objectIn(request, group)
    return Object.entries(objectIn(requested, part)).flatMap(([referent, answer]) => {
      const one = Object.hasOwn(asked, referent) ? asked[referent] : undefined
      return isObject(one) ? [[referent, answer, one]] : []
    })
  }
  const sourceOf = (answer: unknown) => {
    const index = isObject(answer) ? answer.sub_proof_index : undefined
    const identifier: unknown = typeof index === 'number' ? identifiers[index] : undefined
    const { schema_id: schemaId, cred_def_id: credentialDefinitionId } = isObject(identifier) ? identifier : {}
    return {
      ...(typeof schemaId === 'string' && { schemaId }),
      ...(typeof credentialDefinitionId === 'string' && { credentialDefinitionId }),
    }
  }
  const revealed = answers('revealed_attrs', 'requested_attributes').flatMap(([referent, answer, asked]) =>
    namesOf(asked).flatMap((name) => shown(referent, name, answer, sourceOf(answer))),
  )
  const groups = answers('revealed_attr_groups', 'requested_attributes').flatMap(([referent, answer, asked]) => {
    const values = objectIn(answer, 'values')
    return namesOf(asked).flatMap((name) =>
      Object.hasOwn(values, name) ? shown(referent, name, values[name], sourceOf(answer)) : [],
    )
  })
  return {
    revealed: [...revealed, ...groups],
    unrevealed: answers('unrevealed_attrs', 'requested_attributes').flatMap(([referent, answer, asked]) =>
      namesOf(asked).map((name) => ({ referent, name, ...sourceOf(answer) })),
    ),
    predicates: answers('predicates', 'requested_predicates').flatMap(
      ([referent, answer, { p_type, p_value, ...asked }]) =>
        typeof p_type === 'string' && typeof p_value === 'number'
          ? namesOf(asked).map((name) => ({ referent, name, p_type, p_value, ...sourceOf(answer) }))
          : [],
    ),
    selfAttested: answers('self_attested_attrs', 'requested_attributes').flatMap(([referent, value, asked]) =>
      typeof value === 'string' ? namesOf(asked).map((name) => ({ referent, name, value })) : [],
    ),
  }
}

const shown = <Source extends object>(referent: string, name: string, answer: unknown, source: Source) =>
  isObject(answer) && typeof answer.raw === 'string' ? [{ referent, name, value: answer.raw, ...source }] : []
