/**
 * Proof and credential exchanges (Aries RFC 0037, 0454, 0453): finding them by thread, and the role that a message is
 * addressed to.
 */
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommCredentialExchangeRecord,
  DidCommCredentialExchangeRepository,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommProofExchangeRecord,
  DidCommProofExchangeRepository,
  DidCommProofRole,
  DidCommProofState,
  parseMessageType,
} from '@credo-ts/didcomm'
import { UNVERIFIED } from '../../records/record-json.ts'

export type Exchange = DidCommProofExchangeRecord | DidCommCredentialExchangeRecord

/** The recipient's role, by the message's name. */
const RECIPIENTS = {
  'present-proof': {
    'propose-presentation': DidCommProofRole.Verifier,
    'request-presentation': DidCommProofRole.Prover,
    presentation: DidCommProofRole.Verifier,
    ack: DidCommProofRole.Prover,
  },
  'issue-credential': {
    'propose-credential': DidCommCredentialRole.Issuer,
    'offer-credential': DidCommCredentialRole.Holder,
    'request-credential': DidCommCredentialRole.Issuer,
    'issue-credential': DidCommCredentialRole.Holder,
    ack: DidCommCredentialRole.Issuer,
  },
} satisfies Record<string, Record<string, string>>

export type ExchangeProtocol = keyof typeof RECIPIENTS

export const EXCHANGE_PROTOCOLS: ExchangeProtocol[] = ['present-proof', 'issue-credential']

export const isExchangeProtocol = (name: string): name is ExchangeProtocol => Object.hasOwn(RECIPIENTS, name)

/** The role that a message is addressed to; undefined if it may be either. */
export const recipientRole = (protocol: ExchangeProtocol, messageName: string): string | undefined =>
  new Map(Object.entries(RECIPIENTS[protocol])).get(messageName)

/** Of any protocol (Aries RFC 0035). */
export const isProblemReport = (messageType: string): boolean =>
  /^problem[-_]report$/.test(parseMessageType(messageType).messageName)

export const findExchanges = async (
  agentContext: AgentContext,
  protocol: ExchangeProtocol,
  threadId: string,
): Promise<Exchange[]> =>
  protocol === 'present-proof'
    ? agentContext.resolve(DidCommProofExchangeRepository).findByQuery(agentContext, { threadId })
    : agentContext.resolve(DidCommCredentialExchangeRepository).findByQuery(agentContext, { threadId })

export const updateExchange = (agentContext: AgentContext, exchange: Exchange): Promise<void> =>
  exchange instanceof DidCommProofExchangeRecord
    ? agentContext.resolve(DidCommProofExchangeRepository).update(agentContext, exchange)
    : agentContext.resolve(DidCommCredentialExchangeRepository).update(agentContext, exchange)

/** Credo's states of credential exchanges have the same names. */
const FINISHED: string[] = [DidCommProofState.Done, DidCommProofState.Declined, DidCommProofState.Abandoned]

export const isFinished = ({ state }: Exchange): boolean => FINISHED.includes(state)

export const abandonExchange = (
  agentContext: AgentContext,
  exchange: Exchange,
  errorMessage: string,
): Promise<void> => {
  exchange.errorMessage = errorMessage
  exchange.metadata.delete(UNVERIFIED)
  if (exchange instanceof DidCommProofExchangeRecord) exchange.state = DidCommProofState.Abandoned
  else exchange.state = DidCommCredentialState.Abandoned
  return updateExchange(agentContext, exchange)
}
