/** Steps of a credential exchange that API calls take (issue-credential, Aries RFC 0036 and 0453). */
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommAutoAcceptCredential,
  type DidCommCredentialExchangeRecord,
  DidCommCredentialExchangeRepository,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { invalidField } from '../../../errors.ts'
import { defined } from '../../../json.ts'
import { toCredentialExchangeJson } from '../../../records/credential-exchange.ts'
import type { RecordJson } from '../../../records/record-json.ts'
import type { TenantAgent } from '../../credo/index.ts'
import { type Formats, type Turn, takeStep } from '../index.ts'

type Exchange = DidCommCredentialExchangeRecord
type Credentials = TenantAgent['didcomm']['credentials']

/** Parameters of every step. */
export interface Step {
  credentialRecordId: string
  autoAcceptCredential?: `${DidCommAutoAcceptCredential}` | undefined
  comment?: string | undefined
  goalCode?: string | undefined
  goal?: string | undefined
}

const HOLDER_HAS_OFFER = { role: DidCommCredentialRole.Holder, state: DidCommCredentialState.OfferReceived }
const HOLDER_HAS_CREDENTIAL = { role: DidCommCredentialRole.Holder, state: DidCommCredentialState.CredentialReceived }
const ISSUER_HAS_REQUEST = { role: DidCommCredentialRole.Issuer, state: DidCommCredentialState.RequestReceived }

/** Takes a step of a credential exchange in the running unit of work, by `act`. Returns the record. Throws the errors of `takeStep`. */
export const takeCredentialStep = (
  { credentialRecordId }: Pick<Step, 'credentialRecordId'>,
  turn: Turn<Exchange>,
  act: (agent: TenantAgent, exchange: Exchange) => Promise<Exchange>,
): Promise<RecordJson> => takeStep(CREDENTIAL_EXCHANGES, credentialRecordId, turn, act)

const CREDENTIAL_EXCHANGES = {
  name: 'credential exchange',
  field: 'credentialRecordId',
  find: (agentContext: AgentContext, id: string) =>
    agentContext.resolve(DidCommCredentialExchangeRepository).findById(agentContext, id),
  toJson: toCredentialExchangeJson,
}

/** The options of a step for Credo. */
export const optionsOf = ({ credentialRecordId, autoAcceptCredential, comment, goalCode, goal }: Step) => ({
  credentialExchangeRecordId: credentialRecordId,
  ...defined({ autoAcceptCredential: autoAcceptCredential as DidCommAutoAcceptCredential, comment, goalCode, goal }),
})

/** Requests the offered credential, in the given formats or in all offered ones. */
export const acceptOffer = ({ credentialFormats = {}, ...step }: Step & { credentialFormats?: Formats | undefined }) =>
  takeCredentialStep(step, HOLDER_HAS_OFFER, async ({ didcomm: { credentials } }, { id }) => {
    const { offer = {} } = await credentials.getFormatData(id)
    for (const format of Object.keys(credentialFormats))
      if (!Object.hasOwn(offer, format)) throw invalidField(`credentialFormats.${format}`, 'is not offered')
    return credentials.acceptOffer({ ...optionsOf(step), credentialFormats: defined(credentialFormats) })
  })

interface Refusal {
  credentialRecordId: string
  sendProblemReport: boolean
  problemReportDescription?: string | undefined
}

export const declineOffer = ({ credentialRecordId, sendProblemReport, problemReportDescription }: Refusal) =>
  takeCredentialStep({ credentialRecordId }, HOLDER_HAS_OFFER, ({ didcomm: { credentials } }, { id }) =>
    credentials.declineOffer({
      credentialExchangeRecordId: id,
      sendProblemReport,
      ...defined({ problemReportDescription }),
    }),
  )

/** Issues the credential that was offered and requested. A request with an invalid proof abandons the exchange with a problem report. */
export const acceptRequest = ({ credentialFormats, ...step }: Step & { credentialFormats?: Formats | undefined }) =>
  takeCredentialStep(step, ISSUER_HAS_REQUEST, async ({ didcomm: { credentials } }, { id }) => {
    const formats = defined(credentialFormats ?? {})
    try {
      return await credentials.acceptRequest({ ...optionsOf(step), credentialFormats: formats })
    } catch (error) {
      if (!(error instanceof DidCommProblemReportError)) throw error
      return reportProblem(credentials, id, error)
    }
  })

const reportProblem = async (credentials: Credentials, id: string, { message }: Error): Promise<Exchange> => {
  await credentials.sendProblemReport({ credentialExchangeRecordId: id, description: message })
  return credentials.getById(id)
}

/** Acknowledges the received credential, which is stored already. */
export const acknowledgeCredential = ({ credentialRecordId }: { credentialRecordId: string }) =>
  takeCredentialStep({ credentialRecordId }, HOLDER_HAS_CREDENTIAL, ({ didcomm: { credentials } }, { id }) =>
    credentials.acceptCredential({ credentialExchangeRecordId: id }),
  )
