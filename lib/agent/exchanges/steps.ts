/**
 * Begins and continues exchanges for API calls: the state must be the expected one, and it must be possible to answer
 * the other agent's message.
 */
import { type AgentContext, CredoError } from '@credo-ts/core'
import { AgentError, shortReason } from '../../errors.ts'
import type { RecordJson } from '../../records/record-json.ts'
import type { NewRecord } from '../../store/stored-record.ts'
import { readyConnection, readyConnectionOf, withSendErrors } from '../connections/index.ts'
import { currentAgent, type TenantAgent, toStored } from '../credo/index.ts'
import type { Exchange } from '../threads/index.ts'

/** Formats by key; undefined ones are absent. */
export type Formats = Record<string, object | undefined>

/** The expected state, or a function that returns it for an exchange. */
export type Expected<Of extends Exchange> = Of['state'] | ((exchange: Of) => Of['state'])

/** Credential or proof exchanges. */
interface ExchangeType<Of extends Exchange> {
  /** Name in error messages. */
  name: string
  /** The parameter that names the record. */
  field: string
  find: (agentContext: AgentContext, id: string) => Promise<Of | null>
  toJson: (record: NewRecord) => RecordJson
}

/**
 * Begins an exchange on a connection in the running unit of work, by `act`. Returns its record. Throws
 * `resource.not_found`, `connection.not_ready`, `connection.no_endpoint`.
 */
export const beginExchange = async <Of extends Exchange>(
  connectionId: string,
  toJson: (record: NewRecord) => RecordJson,
  act: (agent: TenantAgent) => Promise<Of>,
): Promise<RecordJson> => {
  const agent = await currentAgent()
  await readyConnection(agent.context, connectionId)
  const exchange = await withSendErrors(() => act(agent))
  return toJson(toStored(agent.context, exchange))
}

/**
 * Continues an exchange in the running unit of work, by `act`. Returns its record. Throws `resource.not_found`,
 * `exchange.out_of_turn`, `connection.not_ready`, `connection.no_endpoint`, and `request.invalid` if the other agent's
 * message cannot be answered. `sends`: whether `act` sends a message; if not, the connection may have ended.
 */
export const continueExchange = async <Of extends Exchange>(
  { name, field, find, toJson }: ExchangeType<Of>,
  id: string,
  expected: Expected<Of>,
  act: (agent: TenantAgent, exchange: Of) => Promise<Of>,
  sends = true,
): Promise<RecordJson> => {
  const agent = await currentAgent()
  const { context } = agent
  const exchange = await find(context, id)
  if (exchange === null) throw new AgentError('resource.not_found', `there is no such ${name}`)
  const state = typeof expected === 'function' ? expected(exchange) : expected
  if (exchange.state !== state)
    throw new AgentError(
      'exchange.out_of_turn',
      `the state of the exchange is ${exchange.state}, as ${exchange.role}: it must be ${state}`,
    )
  // A connectionless exchange needs no connection: the other agent's message says where to answer.
  const { connectionId } = exchange
  if (sends && connectionId !== undefined) await readyConnectionOf(context, { connectionId })
  const changed = await withMessageErrors(field, () => withSendErrors(() => act(agent, exchange)))
  return toJson(toStored(context, changed))
}

/** Errors of Credo and the libraries in `act` are caused by the other agent's message. */
const withMessageErrors = async <T>(path: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof CredoError)) throw error
    throw new AgentError('request.invalid', 'the message of the other agent cannot be answered', {
      cause: error,
      details: [{ path, message: shortReason(`cannot be answered: ${error.message}`) }],
    })
  }
}
