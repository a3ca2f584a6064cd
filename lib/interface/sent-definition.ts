/** The part of a presentation definition that is sent: wallets on Credo reject a request for anything else in it. */
import type * as v from 'valibot'
import {
  type Filter,
  type PresentationDefinition,
  type SubmissionRequirement,
  withoutAnnotations,
} from '../presentation-exchange/definition-schema.ts'
import { type ClaimFormats, knownFormats } from './claim-formats.ts'

type Formats = v.InferOutput<typeof ClaimFormats>

/** Without an empty `name` and `purpose`, and without other formats than those that Credo knows. */
const sentPart = <Part extends object>(part: Part & { format?: object | undefined }): Part => {
  const { format } = part
  const isSent = ([name, value]: [string, unknown]) => value !== '' || (name !== 'name' && name !== 'purpose')
  const sent = Object.fromEntries(Object.entries(part).filter(isSent))
  return { ...sent, ...(format !== undefined && { format: knownFormats(format as Formats) }) } as Part
}

const sentFilter = (filter: Filter): Filter => {
  const sent: Filter = withoutAnnotations(filter)
  for (const keyword of ['not', 'contains', 'items'] as const) {
    const inner = sent[keyword]
    if (inner !== undefined) sent[keyword] = sentFilter(inner)
  }
  return sent
}

const sentRequirement = (requirement: SubmissionRequirement): SubmissionRequirement => {
  const { from_nested: nested } = requirement
  return { ...sentPart(requirement), ...(nested && { from_nested: nested.map(sentRequirement) }) }
}

type Descriptor = PresentationDefinition['input_descriptors'][number]

const sentDescriptor = ({ metadata: _, ...descriptor }: Descriptor & { metadata?: unknown }): Descriptor => {
  const { constraints } = descriptor
  const fields = constraints?.fields?.map((field) => {
    const { filter } = field
    return { ...sentPart(field), ...(filter && { filter: sentFilter(filter) }) }
  })
  return { ...sentPart(descriptor), ...(constraints && { constraints: { ...constraints, ...(fields && { fields }) } }) }
}

/** What is not evaluated here and not sent has been checked for its type only. */
export const toSentDefinition = <Definition extends PresentationDefinition>(definition: Definition): Definition => {
  const { input_descriptors: descriptors, submission_requirements: requirements } = definition
  return {
    ...sentPart(definition),
    ...(requirements && { submission_requirements: requirements.map(sentRequirement) }),
    input_descriptors: descriptors.map(sentDescriptor),
  }
}
