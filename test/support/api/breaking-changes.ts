/** The differences between two OpenAPI documents that break clients, as sentences for the CHANGELOG. */
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../stage/in-process-stage.ts'

/** Keywords whose values are compared only as a whole: a new or another value may reject what was accepted. */
const OPAQUE = ['allOf', 'pattern', 'propertyNames', 'contains', 'not', 'if', 'else', 'dependentRequired', 'format']

const NOTHING: Json = { not: {} }
const isNothing = (schema: Json): boolean => isDeepStrictEqual(schema, NOTHING)

/** What members without a name in `properties` have to be. */
const otherMembers = ({ additionalProperties: others }: Json): Json =>
  others === false ? NOTHING : typeof others === 'object' ? others : {}

const types = ({ type }: Json): string[] | undefined => (type === undefined ? undefined : [type].flat())
const values = (schema: Json): unknown[] | undefined => ('const' in schema ? [schema.const] : schema.enum)
const requires = ({ required = [] }: Json, name: string): boolean => required.includes(name)
const alternatives = ({ anyOf, oneOf, ...rest }: Json): Json[] | undefined =>
  (anyOf ?? oneOf)?.map((one: Json) => ({ ...rest, ...one }))

const resolve = (document: Json, { $ref, ...rest }: Json): Json => {
  if ($ref === undefined) return rest
  const names: string[] = $ref.slice(2).split('/')
  return {
    ...resolve(
      document,
      names.reduce((part, name) => part[name], document),
    ),
    ...rest,
  }
}

/** Parts of an operation as an object schema, so that they are compared like members. Their names begin with a space. */
const asObject = (parts: { name: string; schema: Json; required?: boolean }[]): Json => ({
  type: 'object',
  properties: Object.fromEntries(parts.map(({ name, schema }) => [` ${name}`, schema])),
  required: parts.filter(({ required }) => required).map(({ name }) => ` ${name}`),
  additionalProperties: false,
})

const partsOf = (named: Json = {}): Json[] => Object.entries<Json>(named).map(([name, part]) => ({ ...part, name }))

const requestOf = (document: Json, { parameters = [], requestBody: body }: Json): Json => {
  const resolved: Json[] = parameters.map((one: Json) => resolve(document, one))
  return asObject([
    ...resolved.map(({ in: place, name, ...rest }) => ({ ...rest, name: `${place} ${name}` })),
    ...(body ? [{ name: 'body', schema: asObject(partsOf(body.content)), required: body.required }] : []),
  ])
}

const responseOf = (document: Json, response: Json): Json => {
  const { headers, content } = resolve(document, response)
  const resolved = partsOf(headers).map((one) => resolve(document, one))
  return asObject([...resolved.map((one) => ({ ...one, name: `header ${one.name}` })), ...partsOf(content)])
}

const responsesOf = (document: Json, { responses }: Json): Json =>
  asObject(partsOf(responses).map((one) => ({ name: `response ${one.name}`, schema: responseOf(document, one) })))

const operationsOf = ({ paths, webhooks }: Json): Record<string, Json> =>
  Object.fromEntries(
    Object.entries<Json>({ ...paths, ...webhooks }).flatMap(([path, item]) =>
      Object.entries(item).map(([method, one]) => [`${path in paths ? method.toUpperCase() : 'event'} ${path}`, one]),
    ),
  )

const needsToken = ({ security }: Json): boolean => isDeepStrictEqual(security, [{ bearer: [] }])

const shortest = (lists: string[][]): string[] => lists.toSorted((a, b) => a.length - b.length)[0] ?? []

/**
 * The sentences, in the order of the operations; for a component one for requests and one for responses. A request may
 * become looser, and a response stricter. Events are like responses: the service sends them.
 */
export const breakingChanges = (before: Json, after: Json): string[] => {
  const compared = new Map<string, string[]>()

  const compare = (old: Json, now: Json, isRequest: boolean, at: string): string[] => {
    const resolved = [resolve(before, old), resolve(after, now), isRequest] as const
    if (old.$ref === undefined || now.$ref === undefined) return compareResolved(...resolved, at)
    const key = JSON.stringify([isRequest, old, now])
    // Inside itself a schema is taken as compatible.
    if (!compared.has(key)) {
      compared.set(key, [])
      const component = `${old.$ref.split('/').at(-1)} in a ${isRequest ? 'request' : 'response'}`
      compared.set(key, compareResolved(...resolved, component))
    }
    return compared.get(key) ?? []
  }

  const compareResolved = (old: Json, now: Json, isRequest: boolean, at: string): string[] => {
    if (isNothing(old)) return []
    if (isNothing(now)) return isRequest ? [`\`${at}\` is no longer accepted`] : []
    const [olds, nows] = [alternatives(old), alternatives(now)]
    if (olds === undefined && nows === undefined) return comparePlain(old, now, isRequest, at)
    // Each alternative that was accepted still is, and each that may be returned was possible before.
    const [ones, others] = isRequest ? [olds ?? [old], nows ?? [now]] : [nows ?? [now], olds ?? [old]]
    const differences = (one: Json, other: Json) =>
      isRequest ? compare(one, other, isRequest, at) : compare(other, one, isRequest, at)
    return ones.flatMap((one) => shortest(others.map((other) => differences(one, other))))
  }

  const comparePlain = (old: Json, now: Json, isRequest: boolean, at: string): string[] => {
    const [narrow, wide] = isRequest ? [types(old), types(now)] : [types(now), types(old)]
    const fits = (type: string) => wide?.includes(type) || (type === 'integer' && wide?.includes('number'))
    if (wide !== undefined && !narrow?.every(fits)) return [`\`${at}\` has another type`]
    const isSmaller = (name: string): boolean =>
      (/^(exclusiveM|m)in/.test(name) && now[name] > (old[name] ?? -Infinity)) ||
      (/^(exclusiveM|m)ax/.test(name) && now[name] < (old[name] ?? Infinity))
    const differs = (name: string): boolean =>
      (isRequest ? now : old)[name] !== undefined && !isDeepStrictEqual(old[name], now[name])
    const accepted = isRequest ? values(now) : undefined
    const losesValues = accepted !== undefined && !values(old)?.every((one) => accepted.includes(one))
    const [members, left]: Json[] = [old.properties ?? {}, now.properties ?? {}]
    const of = (name: string) => (name.startsWith(' ') ? at + name : `${at}.${name}`)
    const isEither = (name: string) => name in old || name in now
    return [
      ...(losesValues ? [`\`${at}\` accepts fewer values`] : []),
      ...(isRequest ? Object.keys(now).filter(isSmaller) : []).map((name) => `\`${at}\` has a smaller limit (${name})`),
      ...(isRequest ? OPAQUE : ['allOf', 'format']).filter(differs).map((name) => `\`${at}\` has another ${name}`),
      ...Object.keys({ ...members, ...left }).flatMap((name) => {
        if (!(name in left)) return [`\`${of(name)}\` was removed`]
        if (!isRequest && !(name in members)) return []
        const [was, is] = [requires(old, name), requires(now, name)]
        return [
          ...(isRequest && is && !was ? [`\`${of(name)}\` is required`] : []),
          ...(!isRequest && was && !is ? [`\`${of(name)}\` is no longer guaranteed`] : []),
          ...compare(members[name] ?? otherMembers(old), left[name], isRequest, of(name)),
        ]
      }),
      ...(isEither('additionalProperties') ? compare(otherMembers(old), otherMembers(now), isRequest, `${at}.*`) : []),
      ...(isEither('items') ? compare(old.items ?? {}, now.items ?? {}, isRequest, `${at}[]`) : []),
    ]
  }

  const operations = operationsOf(after)
  const found = Object.entries(operationsOf(before)).flatMap(([at, old]) => {
    const now = operations[at]
    if (now === undefined) return [`\`${at}\` was removed`]
    const isEvent = at.startsWith('event ')
    return [
      ...(needsToken(now) && !needsToken(old) ? [`\`${at}\` requires a token`] : []),
      ...compare(requestOf(before, old), requestOf(after, now), !isEvent, at),
      ...compare(responsesOf(before, old), responsesOf(after, now), isEvent, at),
    ]
  })
  return [...new Set(found)]
}
