/** Proof requests (Aries RFC 0037 and 0454), on a connection or in an invitation (RFC 0434). */
import type * as v from 'valibot'
import type { CreateRequest, RequestProof } from '../../../interface/proof-request.ts'
import { defined } from '../../../json.ts'
import { type RecordJson, toRecordJson } from '../../../records/record-json.ts'
import { agentContexts, currentAgent, type TenantAgent } from '../../credo/index.ts'
import {
  NO_PREPARED_CONTEXTS,
  type PreparedContexts,
  prepareContexts,
  type RequestedDefinition,
} from '../../formats/json-ld/index.ts'
import { inviteWith } from '../../invitations/index.ts'
import { beginExchange } from '../index.ts'
import { messageOptions } from './steps.ts'

/** Contents by format. */
export interface RequestedFormats {
  presentationExchange?: RequestedDefinition | undefined
}

/** For formats that another agent proposes: their addresses are not fetched. */
export const NO_DEFINITION: RequestedDefinition = { presentationDefinition: { input_descriptors: [] } }

/** The result of `prepareProofRequest`. */
export type Prepared = PromiseSettledResult<PreparedContexts>

/** Fetches the contexts of a request, before its transaction. Never throws: the operation throws the error later. / */
export const prepareProofRequest = async ({ presentationExchange }: RequestedFormats): Promise<Prepared> => {
  const [prepared] = await Promise.allSettled([
    presentationExchange === undefined
      ? NO_PREPARED_CONTEXTS
      : agentContexts().then(({ root }) => prepareContexts(root, presentationExchange)),
  ])
  return prepared
}

/** The formats with the contexts that were fetched for them. */
export const withPrepared = (formats: RequestedFormats, prepared: Prepared): object => {
  if (prepared.status === 'rejected') throw prepared.reason
  const { presentationExchange } = formats
  if (presentationExchange === undefined) return formats
  return { ...formats, presentationExchange: { ...presentationExchange, prepared: prepared.value } }
}

type OutOfBandRequest = v.InferOutput<typeof CreateRequest.body>
type ConnectionRequest = v.InferOutput<typeof RequestProof.body>

/**
 * Creates a proof request and the single-use invitation that carries it, in the running unit of work. Throws
 * `resource.not_found` (tenant), and `request.invalid` for a DID or key that is not this agent's.
 */
export const createProofRequest = async (request: OutOfBandRequest, prepared: Prepared) => {
  const agent = await currentAgent()
  const { carried, response } = await inviteWith(agent, request, (parentThreadId) =>
    agent.didcomm.proofs.createRequest(toCreateOptions(request, prepared, parentThreadId)),
  )
  const { id, threadId } = carried.proofRecord
  return {
    ...response,
    outOfBandRecordId: String(response.outOfBandRecord.id),
    proofRecordId: id,
    proofRecordThId: threadId,
    proofRequestThId: threadId,
  }
}

/**
 * Requests a proof on a connection in the running unit of work. Returns the exchange record (`request-sent`). Throws
 * `resource.not_found`, `connection.not_ready`, `connection.no_endpoint`, and `request.invalid` for contexts that
 * conflict with each other.
 */
export const requestProof = (request: ConnectionRequest, prepared: Prepared): Promise<RecordJson> =>
  beginExchange(request.connectionId, toRecordJson, (agent) => {
    const { connectionId, parentThreadId } = request
    return agent.didcomm.proofs.requestProof({ ...toCreateOptions(request, prepared, parentThreadId), connectionId })
  })

type CreateOptions = Parameters<TenantAgent['didcomm']['proofs']['createRequest']>[0]

const toCreateOptions = (
  request: OutOfBandRequest | ConnectionRequest,
  prepared: Prepared,
  parentThreadId: string | undefined,
): CreateOptions => {
  const { protocolVersion, proofFormats } = request
  return {
    protocolVersion,
    // The contract has checked that the formats belong to the version.
    proofFormats: withPrepared(proofFormats, prepared) as CreateOptions['proofFormats'],
    ...messageOptions(request),
    ...defined({ parentThreadId }),
  }
}
