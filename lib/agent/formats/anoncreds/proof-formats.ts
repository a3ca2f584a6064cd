/** Attachment formats of AnonCreds proofs (Aries RFC 0037, 0592, 0771): Credo's, with this agent's own verification. */
import {
  AnonCredsDidCommProofFormatService,
  type AnonCredsSelectedCredentials,
  LegacyIndyDidCommProofFormatService,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import type { DidCommAttachment } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { AgentError, isAgentError } from '../../../errors.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { noteUnverified, preparedResponse } from '../index.ts'
import { assertAnonCredsLoads, isAnonCredsAvailable } from './library.ts'
import { Refused } from './presentation-checks/index.ts'
import { presentationVerifier } from './presentation-verifier.ts'
import { withContent } from './received-credential.ts'
import { ReceivedRequest } from './received-request.ts'
import { type AnonCredsAnswer, selectCredentials } from './select-credentials.ts'
import { verifyPresentation } from './verify-presentation.ts'

type CreateRequest<Format extends { createRequest: (...parameters: never) => unknown }> = Parameters<
  Format['createRequest']
>

type AcceptRequest<Format extends { acceptRequest: (...parameters: never) => unknown }> = Parameters<
  Format['acceptRequest']
>

type ProcessPresentation = Parameters<AnonCredsDidCommProofFormatService['processPresentation']>

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

  override async acceptRequest(...[agentContext, options]: AcceptRequest<LegacyIndyDidCommProofFormatService>) {
    const prepared = preparedResponse(this, options.proofRecord)
    if (prepared !== undefined) return prepared
    const { selected: indy, ...asked } = await selectedFor(agentContext, options, 'indy')
    return presented('indy', () => super.acceptRequest(agentContext, { ...options, ...asked, proofFormats: { indy } }))
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

  override async acceptRequest(...[agentContext, options]: AcceptRequest<AnonCredsDidCommProofFormatService>) {
    const prepared = preparedResponse(this, options.proofRecord)
    if (prepared !== undefined) return prepared
    const { selected: anoncreds, ...asked } = await selectedFor(agentContext, options, 'anoncreds')
    return presented('anoncreds', () =>
      super.acceptRequest(agentContext, { ...options, ...asked, proofFormats: { anoncreds } }),
    )
  }
}

interface AskedFor {
  non_revoked?: { from?: number; to?: number }
}

interface AskedOfAll<One extends AskedFor> extends AskedFor {
  requested_attributes?: Record<string, One>
  requested_predicates?: Record<string, One>
}

/** Sets a missing `from` to `to`: with `to` alone, other verifiers would accept an old list, in which a revoked credential is still valid. */
const withWholeInterval = <One extends AskedFor>(asked: One): One =>
  asked.non_revoked === undefined
    ? asked
    : { ...asked, non_revoked: { from: asked.non_revoked.to, ...asked.non_revoked } }

const withWholeIntervals = <Request extends object>(request: Request): Request => {
  const { requested_attributes: attributes, requested_predicates: predicates } = request as AskedOfAll<AskedFor>
  return {
    ...withWholeInterval(request),
    ...(attributes !== undefined && { requested_attributes: mapped(attributes) }),
    ...(predicates !== undefined && { requested_predicates: mapped(predicates) }),
  }
}

const mapped = (asked: Record<string, AskedFor>): Record<string, AskedFor> =>
  Object.fromEntries(Object.entries(asked).map(([referent, one]) => [referent, withWholeInterval(one)]))

/** The caller's choices by format, checked by the contract. */
type AnswerFormats = { [format in 'indy' | 'anoncreds']?: unknown }

interface Asked {
  requestAttachment: DidCommAttachment
  proofFormats?: AnswerFormats | undefined
}

/** The credentials to present, and the request with the members that the library knows. */
const selectedFor = async (
  agentContext: AgentContext,
  { requestAttachment, proofFormats }: Asked,
  format: 'indy' | 'anoncreds',
): Promise<{ selected: AnonCredsSelectedCredentials; requestAttachment: DidCommAttachment }> => {
  assertAnonCredsLoads()
  const path = `proofFormats.${format}`
  const read = v.safeParse(ReceivedRequest, requestAttachment.getDataAsJson())
  if (!read.success) throw cannotAnswer(path, `the request ${read.issues[0].message}`)
  const answer: AnonCredsAnswer = proofFormats?.[format] ?? {}
  const selected = await presented(format, () => selectCredentials(agentContext, read.output, answer, path))
  // Name and version are not used.
  const request = { name: 'request', version: '1.0', ...read.output }
  return { selected, requestAttachment: withContent(requestAttachment, request) }
}

/** Errors of the library and Credo in `act` are caused by the verifier's request; errors of the table are not. */
const presented = async <T>(format: 'indy' | 'anoncreds', act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (isAgentError(error) || currentUnit().failure !== undefined) throw error
    throw cannotAnswer(`proofFormats.${format}`, error instanceof Error ? error.message : 'unknown', error)
  }
}

/** In characters. Messages of the library may quote the request. */
const MAX_REASON = 300

const cannotAnswer = (path: string, reason: string, cause?: unknown): AgentError =>
  new AgentError('request.invalid', 'the request can not be answered', {
    cause,
    details: [{ path, message: `can't answer the request: ${reason}`.slice(0, MAX_REASON) }],
  })

/** Credo turns `Refused` into the record's `errorMessage` and a problem report. Any other error is no judgement on the presentation. */
const process = async (
  agentContext: AgentContext,
  { proofRecord, requestAttachment, attachment }: ProcessPresentation[1],
): Promise<boolean> => {
  const request = requestAttachment.getDataAsJson()
  try {
    if (!isAnonCredsAvailable()) throw new AgentError('anoncreds.unavailable', 'the AnonCreds library cannot be loaded')
    await verifyPresentation(request, jsonOf(attachment), presentationVerifier(agentContext))
  } catch (error) {
    if (error instanceof Refused) throw error
    await noteUnverified(proofRecord.id, error)
  }
  return true
}

const jsonOf = (attachment: DidCommAttachment): unknown => {
  try {
    return attachment.getDataAsJson()
  } catch {
    throw new Refused('the presentation is not JSON')
  }
}
