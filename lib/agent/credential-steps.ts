/** The steps of a credential exchange that a caller takes: each in its turn, and for a message of the other agent that can be answered. */
import { CredoError } from '@credo-ts/core'
import {
  type DidCommAutoAcceptCredential,
  type DidCommCredentialExchangeRecord,
  DidCommCredentialExchangeRepository,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { AgentError, invalidField, isAgentError } from '../errors.ts'
import { toCredentialExchangeJson } from '../records/credential-exchange.ts'
import type { RecordJson } from '../records/record-json.ts'
import { currentAgent, type TenantAgent } from './agent.ts'
import { readyConnection, send } from './connections.ts'
import { defined } from './defined.ts'
import { toStored } from './storage-service.ts'

type Exchange = DidCommCredentialExchangeRecord
type Credentials = TenantAgent['didcomm']['credentials']

/** What every step says. */
export interface Step {
  credentialRecordId: string
  autoAcceptCredential?: `${DidCommAutoAcceptCredential}` | undefined
  comment?: string | undefined
  goalCode?: string | undefined
  goal?: string | undefined
}

/** Whose turn it is. */
interface Turn {
  role: DidCommCredentialRole
  state: DidCommCredentialState
}

const HOLDER_HAS_OFFER = { role: DidCommCredentialRole.Holder, state: DidCommCredentialState.OfferReceived }
const HOLDER_HAS_CREDENTIAL = { role: DidCommCredentialRole.Holder, state: DidCommCredentialState.CredentialReceived }
const ISSUER_HAS_REQUEST = { role: DidCommCredentialRole.Issuer, state: DidCommCredentialState.RequestReceived }

/**
 * Takes a step in the running unit of work, by `act`. Returns the exchange record. Throws `resource.not_found`, `exchange.out_of_turn`,
 * `connection.not_ready`, `connection.no_endpoint`, and `request.invalid` where the other agent's message can not be answered.
 */
export const takeStep = async (
  { credentialRecordId }: Pick<Step, 'credentialRecordId'>,
  turn: Turn,
  act: (agent: TenantAgent, exchange: Exchange) => Promise<Exchange>,
): Promise<RecordJson> => {
  const agent = await currentAgent()
  const { context } = agent
  const exchange = await context.resolve(DidCommCredentialExchangeRepository).findById(context, credentialRecordId)
  if (exchange === null) throw new AgentError('resource.not_found', 'there is no such credential exchange')
  if (exchange.role !== turn.role || exchange.state !== turn.state)
    throw new AgentError(
      'exchange.out_of_turn',
      `the state of the exchange is ${exchange.state}, as ${exchange.role}: it would have to be ${turn.state}, as ${turn.role}`,
    )
  await assertConnected(agent, exchange)
  const changed = await answerable(() => send(() => act(agent, exchange)))
  return toCredentialExchangeJson(toStored(context, changed))
}

const assertConnected = async ({ context }: TenantAgent, { connectionId }: Exchange): Promise<void> => {
  if (connectionId === undefined) return
  try {
    await readyConnection(context, connectionId)
  } catch (error) {
    if (!isAgentError(error, 'resource.not_found')) throw error
    throw new AgentError('connection.not_ready', 'the connection of the exchange was deleted')
  }
}

/** What Credo and the libraries refuse here was written by the other agent. */
const answerable = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof CredoError)) throw error
    throw new AgentError('request.invalid', 'the message of the other agent can not be answered', {
      cause: error,
      details: [{ path: 'credentialRecordId', message: `can not be answered: ${error.message}`.slice(0, MAX_REASON) }],
    })
  }
}

/** Characters: a message of the other agent may be quoted. */
const MAX_REASON = 300

/** A step as Credo takes it. */
export const optionsOf = ({ credentialRecordId, autoAcceptCredential, comment, goalCode, goal }: Step) => ({
  credentialExchangeRecordId: credentialRecordId,
  ...defined({ autoAcceptCredential: autoAcceptCredential as DidCommAutoAcceptCredential, comment, goalCode, goal }),
})

/** Formats by their key, of which only what is defined is there. */
type Formats = Record<string, object | undefined>

/** Asks for the credential that is offered, in the formats that are named or else in all of them. */
export const acceptOffer = ({ credentialFormats = {}, ...step }: Step & { credentialFormats?: Formats | undefined }) =>
  takeStep(step, HOLDER_HAS_OFFER, async ({ didcomm: { credentials } }, { id }) => {
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
  takeStep({ credentialRecordId }, HOLDER_HAS_OFFER, ({ didcomm: { credentials } }, { id }) =>
    credentials.declineOffer({
      credentialExchangeRecordId: id,
      sendProblemReport,
      ...defined({ problemReportDescription }),
    }),
  )

/** Issues what was offered and asked for. A request that is no proof for it abandons the exchange, and the holder is told. */
export const acceptRequest = ({ credentialFormats, ...step }: Step & { credentialFormats?: Formats | undefined }) =>
  takeStep(step, ISSUER_HAS_REQUEST, async ({ didcomm: { credentials } }, { id }) => {
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

/** Acknowledges the credential that was received. It is stored already. */
export const acknowledgeCredential = ({ credentialRecordId }: { credentialRecordId: string }) =>
  takeStep({ credentialRecordId }, HOLDER_HAS_CREDENTIAL, ({ didcomm: { credentials } }, { id }) =>
    credentials.acceptCredential({ credentialExchangeRecordId: id }),
  )
