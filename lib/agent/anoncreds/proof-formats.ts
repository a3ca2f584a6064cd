/** The attachment formats of AnonCreds proofs (Aries RFC 0037, 0592, 0771): Credo's, but the presentation is verified by this agent's own checks. */
import { AnonCredsDidCommProofFormatService, LegacyIndyDidCommProofFormatService } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import type { DidCommAttachment, DidCommProofExchangeRecord } from '@credo-ts/didcomm'
import { currentUnit } from '../../store/transaction.ts'
import { isAnonCredsAvailable } from './library.ts'
import { Refused } from './presentation-checks/answers.ts'
import { presentationVerifier } from './presentation-verifier.ts'
import { verifyPresentation } from './verify-presentation.ts'

type CreateRequest<Format extends { createRequest: (...parameters: never) => unknown }> = Parameters<
  Format['createRequest']
>

type ProcessPresentation = Parameters<AnonCredsDidCommProofFormatService['processPresentation']>

/** Records whose presentation was taken without being verified, since this deployment has no library. */
const unverified = new WeakSet<DidCommProofExchangeRecord>()

/** Whether the presentation of a record was taken without being verified. */
export const isUnverified = (proofRecord: DidCommProofExchangeRecord): boolean => unverified.has(proofRecord)

export class IndyProofFormat extends LegacyIndyDidCommProofFormatService {
  override createRequest(...[agentContext, options]: CreateRequest<LegacyIndyDidCommProofFormatService>) {
    const { proofFormats } = options
    const { indy } = proofFormats
    return super.createRequest(agentContext, {
      ...options,
      proofFormats: { ...proofFormats, ...(indy !== undefined && { indy: withWholeIntervals(indy) }) },
    })
  }

  override processPresentation(...parameters: ProcessPresentation): Promise<boolean> {
    return process(...parameters)
  }
}

export class AnonCredsProofFormat extends AnonCredsDidCommProofFormatService {
  override createRequest(...[agentContext, options]: CreateRequest<AnonCredsDidCommProofFormatService>) {
    const { proofFormats } = options
    const { anoncreds } = proofFormats
    return super.createRequest(agentContext, {
      ...options,
      proofFormats: { ...proofFormats, ...(anoncreds !== undefined && { anoncreds: withWholeIntervals(anoncreds) }) },
    })
  }

  override processPresentation(...parameters: ProcessPresentation): Promise<boolean> {
    return process(...parameters)
  }
}

interface Asked {
  non_revoked?: { from?: number; to?: number }
}

interface AskedOfAll<One extends Asked> extends Asked {
  requested_attributes?: Record<string, One>
  requested_predicates?: Record<string, One>
}

/** `from` is `to` where the requester left it out: with `to` alone, other verifiers take an old list that shows a revoked credential as valid. */
const withWholeInterval = <One extends Asked>(asked: One): One =>
  asked.non_revoked === undefined
    ? asked
    : { ...asked, non_revoked: { from: asked.non_revoked.to, ...asked.non_revoked } }

const withWholeIntervals = <Request extends object>(request: Request): Request => {
  const { requested_attributes: attributes, requested_predicates: predicates } = request as AskedOfAll<Asked>
  return {
    ...withWholeInterval(request),
    ...(attributes !== undefined && { requested_attributes: mapped(attributes) }),
    ...(predicates !== undefined && { requested_predicates: mapped(predicates) }),
  }
}

const mapped = (asked: Record<string, Asked>): Record<string, Asked> =>
  Object.fromEntries(Object.entries(asked).map(([referent, one]) => [referent, withWholeInterval(one)]))

/**
 * What is `Refused` becomes the record's `errorMessage` and a problem report, by Credo. Any other failure is ours (the table, the library)
 * and says nothing of the presentation: the unit of work ends with it, and nothing is judged.
 */
const process = async (
  agentContext: AgentContext,
  { proofRecord, requestAttachment, attachment }: ProcessPresentation[1],
): Promise<boolean> => {
  if (!isAnonCredsAvailable()) {
    unverified.add(proofRecord)
    return true
  }
  const request = requestAttachment.getDataAsJson()
  try {
    await verifyPresentation(request, jsonOf(attachment), presentationVerifier(agentContext))
    return true
  } catch (error) {
    if (error instanceof Refused) throw error
    return currentUnit().keepFailure(() => Promise.reject(error))
  }
}

const jsonOf = (attachment: DidCommAttachment): unknown => {
  try {
    return attachment.getDataAsJson()
  } catch {
    throw new Refused('the presentation is not JSON')
  }
}
