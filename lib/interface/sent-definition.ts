/** The part of a presentation definition that is sent: wallets on Credo reject a request with any other part. */
import { isObject, type JsonObject } from '../json.ts'
import { withoutAnnotations } from '../presentation-exchange/definition-schema.ts'
import { knownFormats } from './claim-formats.ts'

/** Members outside of filters that are empty texts, or that only people or other agents read. */
const isSent = ([name, member]: [string, unknown]): boolean =>
  name !== 'metadata' && (member !== '' || (name !== 'name' && name !== 'purpose'))

const sentFilter = (filter: object): JsonObject =>
  Object.fromEntries(
    Object.entries(withoutAnnotations(filter)).map(([name, member]) => [
      name,
      isObject(member) ? sentFilter(member) : member,
    ]),
  )

const sentPart = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(sentPart)
  if (!isObject(part)) return part
  const sent = Object.entries(part).filter(isSent)
  return Object.fromEntries(sent.map(([name, member]) => [name, sentMember(name, member)]))
}

const sentMember = (name: string, member: unknown): unknown => {
  if (name === 'filter' && isObject(member)) return sentFilter(member)
  return name === 'format' && isObject(member) ? knownFormats(member) : sentPart(member)
}

/** Members that are neither evaluated nor sent are checked for their type only. */
export const toSentDefinition = <Definition extends object>(definition: Definition): Definition =>
  sentPart(definition) as Definition
