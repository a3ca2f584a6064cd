/**
 * The job that verifies a presentation again if it could not be verified on arrival, because an object could not be
 * read or this service failed. Wallets do not send a presentation again. For a prover: see present-later.ts. /
 */
import { type AgentContext, CredoError } from '@credo-ts/core'
import { type DidCommProofExchangeRecord, DidCommProofExchangeRepository, DidCommProofState } from '@credo-ts/didcomm'
import { isAgentError } from '../../../errors.ts'
import type { JobHandler } from '../../../jobs/job.ts'
import { PRESENTED } from '../../../records/record-json.ts'
import { transaction } from '../../../store/transaction.ts'
import { currentAgent, type TenantAgent } from '../../credo/index.ts'
import { PresentationError } from '../../formats/anoncreds/presentation-checks/index.ts'
import { recordUnverified, verificationFailureOf } from '../../formats/index.ts'
import { abandonExchange, updateExchange } from '../../threads/index.ts'
import { nextAttemptDelay, notifyOtherAgent } from '../index.ts'
import { presentByJob } from './present-later.ts'
import { proofChecksOf } from './protocols.ts'
import { isVerificationPending } from './verify-later.ts'

type VerificationResult =
  /** `presented`: the claims of a JSON-LD presentation, for the record. */
  | { state: 'verified'; presented: Record<string, unknown> | null }
  | { state: 'rejected'; reason: string }
  | { state: 'unverified'; reason: string }

/** `requested`: this agent is the prover, and has a request to answer. */
type Outcome = VerificationResult | { state: 'requested' }

export const presentationJob: JobHandler = {
  run: async (job) => {
    const { tenant, id, createdAt } = job
    const outcome = await transaction(tenant, () => verifyAgain(id))
    if (outcome?.state === 'requested') return presentByJob(job)
    if (outcome?.state === 'unverified') {
      const later = nextAttemptDelay(Date.now() - Date.parse(createdAt))
      if (later !== undefined) return { later }
    }
    return { commit: async () => outcome && end(id, outcome) }
  },
  giveUp: (_unit, { id }, reason) => end(id, { state: 'unverified', reason }),
}

const findProof = (agentContext: AgentContext, id: string): Promise<DidCommProofExchangeRecord | null> =>
  agentContext.resolve(DidCommProofExchangeRepository).findById(agentContext, id)

const verifyAgain = async (id: string): Promise<Outcome | undefined> => {
  const { context } = await currentAgent()
  const proofRecord = await findProof(context, id)
  if (proofRecord?.state === DidCommProofState.RequestReceived) return { state: 'requested' }
  if (proofRecord === null || !isVerificationPending(proofRecord)) return undefined
  try {
    await proofChecksOf(context, proofRecord).verifyAgain(context, proofRecord)
  } catch (error) {
    if (error instanceof PresentationError || error instanceof CredoError)
      return { state: 'rejected', reason: error.message }
    await recordUnverified(id, error)
  }
  const error = verificationFailureOf(id)
  return error === undefined
    ? { state: 'verified', presented: proofRecord.metadata.get(PRESENTED) }
    : { state: 'unverified', reason: reasonOf(error) }
}

/** The tenant may read errors of registries and of the library; others may contain anything. */
const reasonOf = (error: unknown): string =>
  isAgentError(error, 'registry.unavailable') || isAgentError(error, 'anoncreds.unavailable')
    ? error.message
    : 'an internal error'

/** Does nothing if the exchange was continued in the meantime. */
const end = async (id: string, outcome: VerificationResult): Promise<void> => {
  const agent = await currentAgent()
  const proofRecord = await findProof(agent.context, id)
  if (proofRecord === null || !isVerificationPending(proofRecord)) return
  if (outcome.state === 'verified') return accept(agent, proofRecord, outcome.presented)
  if (outcome.state === 'rejected') proofRecord.isVerified = false
  // `isVerified` remains undefined if the presentation could not be verified.
  const description =
    outcome.state === 'rejected' ? outcome.reason : `the presentation could not be verified: ${outcome.reason}`
  await abandonExchange(agent.context, proofRecord, description)
  // As for a presentation that is rejected on arrival: without a connection no problem report can be sent.
  if (proofRecord.connectionId !== undefined)
    await notifyOtherAgent(agent.context, proofRecord, () =>
      agent.didcomm.proofs.sendProblemReport({ proofExchangeRecordId: id, description }),
    )
}

/** Acknowledges the presentation if that needs no call. */
const accept = async (
  agent: TenantAgent,
  proofRecord: DidCommProofExchangeRecord,
  presented: Record<string, unknown> | null,
): Promise<void> => {
  const { context } = agent
  proofRecord.isVerified = true
  if (presented !== null) proofRecord.metadata.set(PRESENTED, presented)
  await updateExchange(context, proofRecord)
  if (await proofChecksOf(context, proofRecord).isAcceptedAutomatically(context, proofRecord))
    await notifyOtherAgent(agent.context, proofRecord, () =>
      agent.didcomm.proofs.acceptPresentation({ proofExchangeRecordId: proofRecord.id }),
    )
}
