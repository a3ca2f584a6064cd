/** The checks of a presentation that come before reading the objects that it names. */
import * as v from 'valibot'
import { type Answers, answersOf, Refused } from './answers.ts'
import { assertPredicates } from './predicates.ts'
import { type Presentation, readPresentation } from './presentation.ts'
import { assertProofNumbers } from './proof-numbers.ts'
import { Request } from './request.ts'
import { assertIdRestrictions } from './restrictions.ts'
import { assertRevealedValues } from './revealed-values.ts'

export interface Checked {
  request: Request
  presentation: Presentation
  answers: Answers
}

/** Throws `Refused`. */
export const checkBeforeReading = (requestJson: unknown, presentationJson: unknown): Checked => {
  const request = v.safeParse(Request, requestJson)
  if (!request.success) throw new Refused('the request has another form than a proof request')
  const presentation = readPresentation(presentationJson)
  if (presentation === undefined) throw new Refused('the presentation has another form than one of AnonCreds')
  const answers = answersOf(request.output, presentation)
  assertRevealedValues(answers, presentation)
  assertPredicates(answers, presentation)
  assertIdRestrictions(answers, presentation)
  assertProofNumbers(presentation)
  return { request: request.output, presentation, answers }
}
