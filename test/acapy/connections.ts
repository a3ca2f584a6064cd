/** Connections of both sides, when they are in a state. */
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import { inState, type OurAgent } from './agent.ts'

export const agentConnectionIn = (agent: OurAgent, connectionId: string, ...states: string[]): Promise<Json> =>
  inState(`our connection to be ${states.join(' or ')}`, states, () => agent.ask(`/connections/${connectionId}`))

/** The agent's connection of an invitation that it has made. */
export const agentConnectionOf = async (agent: OurAgent, outOfBandId: string, ...states: string[]): Promise<Json> => {
  const { id } = await waitFor(
    'our connection',
    async () => (await agent.ask(`/connections?outOfBandId=${outOfBandId}`))[0],
  )
  return agentConnectionIn(agent, id, ...states)
}

/** The id of the wallet's connection of an invitation, by the message's `@id`. */
export const walletConnectionIdOf = (acapy: AcaPy, invitationId: string): Promise<string> =>
  waitFor("the wallet's connection", async () => {
    const { results } = await acapy.get(`/connections?invitation_msg_id=${invitationId}`)
    const found = results.find(({ invitation_mode: mode }: Json) => mode !== 'multi') ?? results[0]
    return found?.connection_id
  })

/** This connection in one of these states, which are those of RFC 0023. */
export const walletConnectionOf = async (acapy: AcaPy, invitationId: string, ...states: string[]): Promise<Json> =>
  acapy.recordIn(`/connections/${await walletConnectionIdOf(acapy, invitationId)}`, ...states)
