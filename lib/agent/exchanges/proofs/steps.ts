/** Steps of a proof exchange that API calls take (present-proof, Aries RFC 0037 and 0454). */
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommAutoAcceptProof,
  DidCommMessageRecord,
  DidCommProofExchangeRecord,
  DidCommProofExchangeRepository,
  DidCommProofState,
} from '@credo-ts/didcomm'
import { AgentError, invalidField } from '../../../errors.ts'
import type { ProofAcceptance, ProofDecline } from '../../../interface/proof-acceptance.ts'
import type { ProposalAcceptance } from '../../../interface/proof-proposal.ts'
import { defined } from '../../../json.ts'
import { type RecordJson, toRecordJson } from '../../../records/record-json.ts'
import { currentUnit } from '../../../store/transaction.ts'
import type { TenantAgent } from '../../credo/index.ts'
import { continueExchange, type Formats } from '../index.ts'

type Exchange = DidCommProofExchangeRecord

const { RequestReceived, PresentationReceived } = DidCommProofState

/**
 * Continues a proof exchange in the running unit of work, by `act`. Returns the record. Throws the errors of
 * `continueExchange`.
 */
export const continueProofExchange = (
  proofRecordId: string,
  expected: Exchange['state'],
  act: (agent: TenantAgent, exchange: Exchange) => Promise<Exchange>,
  sends?: boolean,
): Promise<RecordJson> => continueExchange(PROOF_EXCHANGES, proofRecordId, expected, act, sends)

/** Reads the exchange and its messages in two requests. Credo then reads each of them from the unit of work. */
const findWithMessages = async (agentContext: AgentContext, id: string): Promise<Exchange | null> => {
  const unit = currentUnit()
  const exchange = { type: DidCommProofExchangeRecord.type, id }
  await unit.find(unit.tenant, DidCommMessageRecord.type, { associatedRecordId: id }, [exchange])
  return agentContext.resolve(DidCommProofExchangeRepository).findById(agentContext, id)
}

const PROOF_EXCHANGES = { name: 'proof exchange', field: 'proofRecordId', find: findWithMessages, toJson: toRecordJson }

/** The options of any message for Credo. */
export const messageOptions = ({
  autoAcceptProof,
  comment,
  goalCode,
  willConfirm,
}: Omit<ProposalAcceptance, 'proofFormats' | 'proofRecordId'>) =>
  defined({ autoAcceptProof: autoAcceptProof as DidCommAutoAcceptProof, comment, goalCode, willConfirm })

type AcceptRequest = Parameters<TenantAgent['didcomm']['proofs']['acceptRequest']>[0]

/**
 * Presents the requested proof in the given formats, or in all requested ones, with the named or otherwise suitable
 * credentials.
 */
export const acceptProofRequest = (proofRecordId: string, acceptance: ProofAcceptance): Promise<RecordJson> =>
  continueProofExchange(proofRecordId, RequestReceived, async ({ didcomm: { proofs } }, { id }) => {
    const { filterByNonRevocationRequirements } = acceptance
    const { request = {} } = await proofs.getFormatData(id)
    const named = defined(acceptance.proofFormats) as Formats
    for (const format of Object.keys(named))
      if (!Object.hasOwn(request, format)) throw invalidField(`proofFormats.${format}`, 'is not requested')
    const formats: Formats = Object.keys(named).length > 0 ? named : request
    const proofFormats = Object.fromEntries(
      Object.keys(formats).map((format) => [format, { ...named[format], filterByNonRevocationRequirements }]),
    )
    return proofs.acceptRequest({
      proofExchangeRecordId: id,
      // Checked by the contract, and read by our own formats.
      proofFormats: proofFormats as NonNullable<AcceptRequest['proofFormats']>,
      ...messageOptions(acceptance),
    })
  })

export const declineProofRequest = (
  proofRecordId: string,
  { sendProblemReport, problemReportDescription }: ProofDecline,
): Promise<RecordJson> =>
  continueProofExchange(
    proofRecordId,
    RequestReceived,
    ({ didcomm: { proofs } }, { id }) =>
      proofs.declineRequest({
        proofExchangeRecordId: id,
        sendProblemReport,
        ...defined({ problemReportDescription }),
      }),
    sendProblemReport,
  )

/**
 * Acknowledges a presentation. Throws `exchange.out_of_turn` if it was not verified: the prover would take it for
 * accepted.
 */
export const acceptPresentation = (proofRecordId: string): Promise<RecordJson> =>
  continueProofExchange(proofRecordId, PresentationReceived, ({ didcomm: { proofs } }, { id, isVerified }) => {
    if (isVerified !== true) throw new AgentError('exchange.out_of_turn', 'the presentation is not verified yet')
    return proofs.acceptPresentation({ proofExchangeRecordId: id })
  })
