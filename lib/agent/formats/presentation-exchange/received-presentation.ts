/** Verifies received presentations, and whether they prove what was requested. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import * as v from 'valibot'
import { isObject } from '../../../json.ts'
import type { PresentationDefinition } from '../../../presentation-exchange/definition-schema.ts'
import { Submission, shortcoming } from '../../../presentation-exchange/presentation.ts'
import { PRESENTED, VERIFIER_CONTEXTS } from '../../../records/record-json.ts'
import { unreadDocument } from '../../web/index.ts'
import { noteUnverified } from '../index.ts'
import { CREDENTIALS_V1, readVerifierContexts, VerifierContexts, verifyPresentation } from '../json-ld/index.ts'
import { jsonOf, type Options } from './requests.ts'

/** The request as it was sent, read from our own message. */
const SentRequest = v.looseObject({
  presentation_definition: v.custom<PresentationDefinition>(isObject),
  options: v.looseObject({ challenge: v.string(), domain: v.optional(v.string()) }),
})

const Contexts = v.object({ contexts: VerifierContexts })

/**
 * CredoErrors become the record's `errorMessage` and a problem report. Any other error, and each where a document could
 * not be read, is no judgement on the presentation.
 */
export const verifyReceived = async (
  agentContext: AgentContext,
  options: Options<'processPresentation'>,
): Promise<boolean> => {
  try {
    await verify(agentContext, options)
  } catch (error) {
    const unread = unreadDocument()
    if (unread === undefined && error instanceof CredoError) throw error
    await noteUnverified(options.proofRecord.id, unread ?? error)
  }
  return true
}

const verify = async (
  agentContext: AgentContext,
  { proofRecord, requestAttachment, attachment }: Options<'processPresentation'>,
): Promise<void> => {
  const request = v.parse(SentRequest, requestAttachment.getDataAsJson())
  const presentation = jsonOf(attachment)
  const submission = v.safeParse(Submission, presentation.presentation_submission)
  if (!submission.success) throw new CredoError(`the presentation submission ${submission.issues[0].message}`)
  const { contexts } = v.parse(Contexts, proofRecord.metadata.get(VERIFIER_CONTEXTS))
  const reading = await readVerifierContexts(agentContext, contexts)
  const signed = await verifyPresentation(agentContext, presentation, { ...request.options, reading })
  proofRecord.metadata.set(PRESENTED, {
    ...{ '@context': [CREDENTIALS_V1], type: ['VerifiablePresentation'], holder: signed.signer },
    verifiableCredential: signed.credentials.map(({ json }) => json),
    presentation_submission: submission.output,
  })
  const missing = shortcoming(request.presentation_definition, submission.output, signed)
  if (missing !== undefined) throw new CredoError(missing)
}
