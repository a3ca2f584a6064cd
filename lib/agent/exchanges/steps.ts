/** Steps of exchanges that API calls take: a step needs the right state, and a message of the other agent that can be answered. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import { AgentError, isAgentError } from '../../errors.ts'
import type { RecordJson } from '../../records/record-json.ts'
import type { NewRecord } from '../../store/unit-of-work.ts'
import { readyConnection, send } from '../connections/index.ts'
import { currentAgent, type TenantAgent, toStored } from '../credo/index.ts'
import type { Exchange } from '../threads/index.ts'

/** Formats by key; undefined ones are absent. */
export type Formats = Record<string, object | undefined>

/** The role and states in which a step is allowed. */
export interface Turn<Of extends Exchange> {
  role: Of['role']
  state: Of['state']
}

/** Credential or proof exchanges. */
interface Kind<Of extends Exchange> {
  /** Name in error messages. */
  name: string
  /** The parameter that names the record. */
  field: string
  find: (agentContext: AgentContext, id: string) => Promise<Of | null>
  toJson: (record: NewRecord) => RecordJson
}

/**
 * Takes a step in the running unit of work, by `act`. Returns the exchange record. Throws `resource.not_found`, `exchange.out_of_turn`,
 * `connection.not_ready`, `connection.no_endpoint`, and `request.invalid` if the other agent's message can't be answered.
 */
export const takeStep = async <Of extends Exchange>(
  { name, field, find, toJson }: Kind<Of>,
  id: string,
  turn: Turn<Of>,
  act: (agent: TenantAgent, exchange: Of) => Promise<Of>,
): Promise<RecordJson> => {
  const agent = await currentAgent()
  const { context } = agent
  const exchange = await find(context, id)
  if (exchange === null) throw new AgentError('resource.not_found', `there is no such ${name}`)
  if (exchange.role !== turn.role || exchange.state !== turn.state)
    throw new AgentError(
      'exchange.out_of_turn',
      `the state of the exchange is ${exchange.state}, as ${exchange.role}: it would have to be ${turn.state}, as ${turn.role}`,
    )
  await assertConnected(context, exchange)
  const changed = await answerable(field, () => send(() => act(agent, exchange)))
  return toJson(toStored(context, changed))
}

/** A connectionless exchange needs no connection: the other agent's message says where to answer. */
const assertConnected = async (agentContext: AgentContext, { connectionId }: Exchange): Promise<void> => {
  if (connectionId === undefined) return
  try {
    await readyConnection(agentContext, connectionId)
  } catch (error) {
    if (!isAgentError(error, 'resource.not_found')) throw error
    throw new AgentError('connection.not_ready', 'the connection of the exchange was deleted')
  }
}

/** In characters. The reason may quote the other agent's message. */
const MAX_REASON = 300

/** Errors of Credo and the libraries in `act` are caused by the other agent's message. */
const answerable = async <T>(path: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof CredoError)) throw error
    throw new AgentError('request.invalid', 'the message of the other agent can not be answered', {
      cause: error,
      details: [{ path, message: `can not be answered: ${error.message}`.slice(0, MAX_REASON) }],
    })
  }
}
