/** The revocation intervals of this agent's AnonCreds proof requests, and its responses to received requests. */
import type { AnonCredsRequestProofFormat, AnonCredsSelectedCredentials } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import type { DidCommAttachment, DidCommProofExchangeRecord } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { isAgentError } from '../../../errors.ts'
import { withReadErrors } from '../../web/index.ts'
import { type PreparedResponse, preparedResponse, unanswerableError } from '../index.ts'
import { assertAnonCredsLoads } from './library.ts'
import { mapItems, ReceivedRequest, UNUSED } from './presentation-checks/index.ts'
import { withContent } from './received-credential.ts'
import { type CredentialChoice, selectCredentials } from './select-credentials.ts'

/**
 * Sets a missing `from` to `to`: with `to` alone, other verifiers would accept an old list, in which a revoked
 * credential is still valid.
 */
const withWholeInterval = <Item extends Pick<AnonCredsRequestProofFormat, 'non_revoked'>>(item: Item): Item =>
  item.non_revoked === undefined ? item : { ...item, non_revoked: { from: item.non_revoked.to, ...item.non_revoked } }

export const withWholeIntervals = (request: AnonCredsRequestProofFormat | undefined) =>
  request && {
    ...withWholeInterval(request),
    requested_attributes: mapItems(request.requested_attributes ?? {}, withWholeInterval),
    requested_predicates: mapItems(request.requested_predicates ?? {}, withWholeInterval),
  }

interface Compared {
  proofRecord: DidCommProofExchangeRecord
  proposalAttachment: DidCommAttachment
  requestAttachment: DidCommAttachment
}

/** A request without nulls, for which Credo's comparison throws; undefined if the attachment is not a request. */
const comparable = (attachment: DidCommAttachment): DidCommAttachment | undefined => {
  const { success, output } = v.safeParse(ReceivedRequest, attachment.getDataAsJson())
  const withoutNulls = (_: string, value: unknown) => value ?? undefined
  return success ? withContent(attachment, JSON.parse(JSON.stringify(output, withoutNulls))) : undefined
}

/**
 * Whether a request asks for what was proposed, by Credo's comparison in both orders: in one, the request may have
 * further restrictions. They are alternatives, so a verifier could ask for another credential.
 */
export const inBothOrders = async (
  { proofRecord, ...attachments }: Compared,
  areEqual: (compared: Compared) => Promise<boolean>,
): Promise<boolean> => {
  const proposal = comparable(attachments.proposalAttachment)
  const request = comparable(attachments.requestAttachment)
  if (proposal === undefined || request === undefined) return false
  return (
    (await areEqual({ proofRecord, proposalAttachment: proposal, requestAttachment: request })) &&
    areEqual({ proofRecord, proposalAttachment: request, requestAttachment: proposal })
  )
}

/** The caller's choices by format, checked by the contract. */
interface Received {
  proofRecord: DidCommProofExchangeRecord
  requestAttachment: DidCommAttachment
  proofFormats?: { indy?: CredentialChoice; anoncreds?: CredentialChoice } | undefined
}

/**
 * The response that was prepared, or else one by `present`, with the credentials to present and the request with the
 * members that the library knows.
 */
export const proofResponse = async (
  format: { formatKey: 'indy' | 'anoncreds' } & Parameters<typeof preparedResponse>[0],
  agentContext: AgentContext,
  { proofRecord, requestAttachment, proofFormats }: Received,
  present: (selected: AnonCredsSelectedCredentials, request: DidCommAttachment) => Promise<PreparedResponse>,
): Promise<PreparedResponse> => {
  const prepared = preparedResponse(format, proofRecord)
  if (prepared !== undefined) return prepared
  assertAnonCredsLoads()
  const path = `proofFormats.${format.formatKey}`
  const { success, output: request, issues } = v.safeParse(ReceivedRequest, requestAttachment.getDataAsJson())
  if (!success) throw unanswerableError(path, `${v.getDotPath(issues[0]) ?? 'it'} ${issues[0].message}`)
  try {
    return await withReadErrors(async () => {
      const selected = await selectCredentials(agentContext, request, proofFormats?.[format.formatKey] ?? {}, path)
      return present(selected, withContent(requestAttachment, { ...UNUSED, ...request }))
    })
  } catch (error) {
    // Errors of the library and Credo are caused by the verifier's request. A store error ends the unit of work anyway.
    if (isAgentError(error)) throw error
    throw unanswerableError(path, error instanceof Error ? error.message : 'unknown', error)
  }
}
