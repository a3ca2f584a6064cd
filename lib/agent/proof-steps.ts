/** The steps of a proof exchange that a caller takes, each in its turn (present-proof, Aries RFC 0037 and 0454). */
import { CredoError } from '@credo-ts/core'
import {
  DidCommMessageRecord,
  DidCommProofExchangeRecord,
  DidCommProofExchangeRepository,
  DidCommProofRole,
  DidCommProofState,
} from '@credo-ts/didcomm'
import { AgentError, invalidField, isAgentError } from '../errors.ts'
import { toProofJson } from '../records/proof.ts'
import type { RecordJson } from '../records/record-json.ts'
import { currentUnit } from '../store/transaction.ts'
import { currentAgent, type TenantAgent } from './agent.ts'
import { readyConnection, send } from './connections.ts'
import { defined } from './defined.ts'
import { toStored } from './storage-service.ts'

type Exchange = DidCommProofExchangeRecord

/** Whose turn it is. */
interface Turn {
  role: DidCommProofRole
  state: DidCommProofState
}

export const VERIFIER_HAS_PROPOSAL = { role: DidCommProofRole.Verifier, state: DidCommProofState.ProposalReceived }
const PROVER_HAS_REQUEST = { role: DidCommProofRole.Prover, state: DidCommProofState.RequestReceived }
const VERIFIER_HAS_PRESENTATION = { role: DidCommProofRole.Verifier, state: DidCommProofState.PresentationReceived }

/**
 * Takes a step in the running unit of work, by `act`. Returns the exchange record. Throws `resource.not_found`, `exchange.out_of_turn`,
 * `connection.not_ready`, `connection.no_endpoint`, and `request.invalid` where the other agent's message can not be answered.
 */
export const takeStep = async (
  proofRecordId: string,
  turn: Turn,
  act: (agent: TenantAgent, exchange: Exchange) => Promise<Exchange>,
): Promise<RecordJson> => {
  const agent = await currentAgent()
  const { context } = agent
  await readWithMessages(proofRecordId)
  const exchange = await context.resolve(DidCommProofExchangeRepository).findById(context, proofRecordId)
  if (exchange === null) throw new AgentError('resource.not_found', 'there is no such proof exchange')
  if (exchange.role !== turn.role || exchange.state !== turn.state)
    throw new AgentError(
      'exchange.out_of_turn',
      `the state of the exchange is ${exchange.state}, as ${exchange.role}: it would have to be ${turn.state}, as ${turn.role}`,
    )
  await assertConnected(agent, exchange)
  const changed = await answerable(() => send(() => act(agent, exchange)))
  return toProofJson(toStored(context, changed))
}

/** Credo asks for the exchange and each of its messages. The unit of work reads all of them in two requests, and remembers them. */
const readWithMessages = async (id: string): Promise<void> => {
  const unit = currentUnit()
  const exchange = { type: DidCommProofExchangeRecord.type, id }
  await unit.find(unit.tenant, DidCommMessageRecord.type, { associatedRecordId: id }, [exchange])
}

/** The answer to a request without a connection goes where that says. */
const assertConnected = async ({ context }: TenantAgent, { connectionId }: Exchange): Promise<void> => {
  if (connectionId === undefined) return
  try {
    await readyConnection(context, connectionId)
  } catch (error) {
    if (!isAgentError(error, 'resource.not_found')) throw error
    throw new AgentError('connection.not_ready', 'the connection of the exchange was deleted')
  }
}

/** In characters: a message of the other agent may be quoted. */
const MAX_REASON = 300

/** What Credo and the libraries refuse here was written by the other agent. */
const answerable = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof CredoError)) throw error
    throw new AgentError('request.invalid', 'the message of the other agent can not be answered', {
      cause: error,
      details: [{ path: 'proofRecordId', message: `can not be answered: ${error.message}`.slice(0, MAX_REASON) }],
    })
  }
}

/** Formats by their key, of which only what is defined is there. */
type Formats = Record<string, object | undefined>

interface Answer {
  proofFormats: Formats
  comment?: string | undefined
  goalCode?: string | undefined
  filterByNonRevocationRequirements: boolean
}

type AcceptRequest = Parameters<TenantAgent['didcomm']['proofs']['acceptRequest']>[0]

/** Presents what was asked for, in the formats that are named or else in all of them, with the named credentials or with such as fit. */
export const acceptProofRequest = (proofRecordId: string, answer: Answer): Promise<RecordJson> =>
  takeStep(proofRecordId, PROVER_HAS_REQUEST, async ({ didcomm: { proofs } }, { id }) => {
    const { comment, goalCode, filterByNonRevocationRequirements } = answer
    const { request = {} } = await proofs.getFormatData(id)
    const named = defined(answer.proofFormats)
    for (const format of Object.keys(named))
      if (!Object.hasOwn(request, format)) throw invalidField(`proofFormats.${format}`, 'is not asked for')
    const formats: Formats = Object.keys(named).length > 0 ? named : request
    const proofFormats = Object.fromEntries(
      Object.keys(formats).map((format) => [format, { ...named[format], filterByNonRevocationRequirements }]),
    )
    return proofs.acceptRequest({
      proofExchangeRecordId: id,
      // The contract has checked them, and our own formats read them.
      proofFormats: proofFormats as NonNullable<AcceptRequest['proofFormats']>,
      ...defined({ comment, goalCode }),
    })
  })

interface Refusal {
  sendProblemReport: boolean
  problemReportDescription?: string | undefined
}

export const declineProofRequest = (proofRecordId: string, refusal: Refusal): Promise<RecordJson> =>
  takeStep(proofRecordId, PROVER_HAS_REQUEST, ({ didcomm: { proofs } }, { id }) => {
    const { sendProblemReport, problemReportDescription } = refusal
    return proofs.declineRequest({
      proofExchangeRecordId: id,
      sendProblemReport,
      ...defined({ problemReportDescription }),
    })
  })

/** Acknowledges a presentation. `exchange.out_of_turn` where it did not verify: the prover would take it for accepted. */
export const acceptPresentation = (proofRecordId: string): Promise<RecordJson> =>
  takeStep(proofRecordId, VERIFIER_HAS_PRESENTATION, ({ didcomm: { proofs } }, { id, isVerified }) => {
    if (isVerified !== true) throw new AgentError('exchange.out_of_turn', 'the presentation did not verify')
    return proofs.acceptPresentation({ proofExchangeRecordId: id })
  })
