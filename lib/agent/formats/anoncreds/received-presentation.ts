/** Verifies received AnonCreds presentations. */
import type { AgentContext } from '@credo-ts/core'
import type { DidCommAttachment, DidCommProofFormatProcessPresentationOptions } from '@credo-ts/didcomm'
import { recordUnverified } from '../index.ts'
import { assertAnonCredsLoads } from './library.ts'
import { PresentationError } from './presentation-checks/index.ts'
import { presentationVerifier } from './presentation-verifier.ts'
import { verifyPresentation } from './verify-presentation.ts'

/**
 * Credo turns a `PresentationError` into the record's `errorMessage` and a problem report. After any other error the
 * presentation is verified again later.
 */
export const verifyReceived = async (
  agentContext: AgentContext,
  { proofRecord, requestAttachment, attachment }: DidCommProofFormatProcessPresentationOptions,
): Promise<boolean> => {
  const request = requestAttachment.getDataAsJson()
  try {
    assertAnonCredsLoads()
    await verifyPresentation(request, jsonOf(attachment), presentationVerifier(agentContext))
  } catch (error) {
    if (error instanceof PresentationError) throw error
    await recordUnverified(proofRecord.id, error)
  }
  return true
}

const jsonOf = (attachment: DidCommAttachment): unknown => {
  try {
    return attachment.getDataAsJson()
  } catch {
    throw new PresentationError('the presentation is not JSON')
  }
}
