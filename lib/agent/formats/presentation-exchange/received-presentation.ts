/** Verifies received presentations, and checks that they satisfy the request. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import * as v from 'valibot'
import { isObject } from '../../../json.ts'
import type { PresentationDefinition } from '../../../presentation-exchange/definition-schema.ts'
import { Submission, unsatisfiedReason } from '../../../presentation-exchange/presentation.ts'
import { PRESENTED, VERIFIER_CONTEXTS } from '../../../records/record-json.ts'
import { unreadDocument } from '../../web/index.ts'
import { recordUnverified } from '../index.ts'
import { CREDENTIALS_V1, readVerifierContexts, VerifierContexts, verifyPresentation } from '../json-ld/index.ts'
import { jsonOf, type Options } from './requests.ts'

/** The request in this agent's own message. */
const SentRequest = v.looseObject({
  presentation_definition: v.custom<PresentationDefinition>(isObject),
  options: v.looseObject({ challenge: v.string(), domain: v.optional(v.string()) }),
})

const Contexts = v.object({ contexts: VerifierContexts })

/**
 * CredoErrors become the record's `errorMessage` and a problem report. After any other error, or if a document could
 * not be read, the presentation is verified again later. /
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
    await recordUnverified(options.proofRecord.id, unread ?? error)
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
  const loadedContexts = await readVerifierContexts(agentContext, contexts)
  const signed = await verifyPresentation(agentContext, presentation, {
    ...request.options,
    loadedContexts,
  })
  proofRecord.metadata.set(PRESENTED, {
    ...{ '@context': [CREDENTIALS_V1], type: ['VerifiablePresentation'], holder: signed.signer },
    verifiableCredential: signed.credentials.map(({ json }) => json),
    presentation_submission: submission.output,
  })
  const reason = unsatisfiedReason(request.presentation_definition, submission.output, signed)
  if (reason !== undefined) throw new CredoError(reason)
}
