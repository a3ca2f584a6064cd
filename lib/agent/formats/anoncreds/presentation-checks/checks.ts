/** The checks of a presentation that come before reading the objects that it names. */
import * as v from 'valibot'
import { type Assignments, assignmentsOf, PresentationError } from './assignments.ts'
import { assertPredicates } from './predicates.ts'
import { type Presentation, readPresentation } from './presentation.ts'
import { assertProofNumbers } from './proof-numbers.ts'
import { Request } from './request.ts'
import { assertIdRestrictions } from './restrictions.ts'
import { assertRevealedValues } from './revealed-values.ts'

export interface Checked {
  request: Request
  presentation: Presentation
  assignments: Assignments
}

/** Throws `PresentationError`. */
export const checkBeforeReading = (requestJson: unknown, presentationJson: unknown): Checked => {
  const request = v.safeParse(Request, requestJson)
  if (!request.success) throw new PresentationError('the request is not a proof request')
  const presentation = readPresentation(presentationJson)
  if (presentation === undefined) throw new PresentationError('the presentation is not one of AnonCreds')
  const assignments = assignmentsOf(request.output, presentation)
  assertRevealedValues(assignments, presentation)
  assertPredicates(assignments, presentation)
  assertIdRestrictions(assignments, presentation)
  assertProofNumbers(presentation)
  return { request: request.output, presentation, assignments }
}
