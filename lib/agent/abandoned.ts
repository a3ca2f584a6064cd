/**
 * Notifies the other agent that an exchange is abandoned, in the running unit of work, which deletes the record. For
 * functions that load Credo only for this.
 */
import './compose.ts'
import { DidCommCredentialExchangeRepository, DidCommProofExchangeRepository } from '@credo-ts/didcomm'
import { currentContext } from './credo/index.ts'
import { issuanceReportV1, issuanceReportV2 } from './exchanges/credentials/index.ts'
import { reportAbandonment } from './exchanges/index.ts'
import { presentationReportV1, presentationReportV2 } from './exchanges/proofs/index.ts'

const DESCRIPTION = 'the exchange was abandoned'

export const reportAbandonedCredential = async (id: string): Promise<void> => {
  const context = await currentContext()
  const exchange = await context.resolve(DidCommCredentialExchangeRepository).getById(context, id)
  const report = exchange.protocolVersion === 'v1' ? issuanceReportV1 : issuanceReportV2
  await reportAbandonment(context, exchange, report(DESCRIPTION))
}

export const reportAbandonedProof = async (id: string): Promise<void> => {
  const context = await currentContext()
  const exchange = await context.resolve(DidCommProofExchangeRepository).getById(context, id)
  const report = exchange.protocolVersion === 'v1' ? presentationReportV1 : presentationReportV2
  await reportAbandonment(context, exchange, report(DESCRIPTION))
}
