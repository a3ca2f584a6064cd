/** The agent under test as its controller sees it: a tenant, or the base agent. */

import type { Json } from '../support/stage/in-process-stage.ts'
import { askStage, newTenant } from '../support/stage/party.ts'
import type { RunningStage } from '../support/stage/stage.ts'
import { waitFor } from '../wallet/wait.ts'

export class OurAgent {
  /** Undefined for the base agent. */
  readonly tenantId: string | undefined
  readonly #baseUrl: string
  readonly #token: string

  private constructor(baseUrl: string, token: string, tenantId?: string) {
    this.#baseUrl = baseUrl
    this.#token = token
    this.tenantId = tenantId
  }

  static base({ baseUrl, rootToken }: RunningStage): OurAgent {
    return new OurAgent(baseUrl, rootToken)
  }

  static async tenant(stage: RunningStage, label: string): Promise<OurAgent> {
    const { tenantId, token } = await newTenant(stage, label)
    return new OurAgent(stage.baseUrl, token, tenantId)
  }

  /** Path of the endpoint that wallets post to. */
  get didcommPath(): string {
    return this.tenantId === undefined ? '/didcomm' : `/didcomm/${this.tenantId}`
  }

  /** Asks the service; a POST when there is a body. Rejects when the answer is no success. */
  ask(path: string, body?: unknown): Promise<Json> {
    return askStage(this.#baseUrl, this.#token, path, body)
  }

  /** Rejects when the answer is no 204. */
  async delete(path: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.#token}` }
    const answer = await fetch(`${this.#baseUrl}${path}`, { method: 'DELETE', headers })
    if (answer.status !== 204) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  }

  /** A proof request in an invitation: the answer of CreateRequest. */
  request(body: object): Promise<Json> {
    return this.ask('/proofs/create-request-oob', body)
  }

  send(connectionId: string, content: string): Promise<Json> {
    return this.ask(`/basic-messages/${connectionId}`, { content })
  }

  connectionsOf(request: Json): Promise<Json[]> {
    return this.ask(`/connections?outOfBandId=${request.outOfBandRecord.id}`)
  }

  /** The connection that came of a request, when it is completed. */
  completed(request: Json): Promise<Json> {
    return waitFor('our connection to be completed', async () => {
      const [connection] = await this.connectionsOf(request)
      return connection?.state === 'completed' && connection
    })
  }

  /** Basic messages of a connection, oldest first. Of tenants only: no path names the base agent. */
  messages(connectionId: string): Promise<Json[]> {
    return this.ask(`/multi-tenancy/basic-messages/${connectionId}/${this.tenantId}`)
  }

  received(connectionId: string, count = 1): Promise<string[]> {
    return waitFor(`${count} messages of the wallet to be here`, async () => {
      const messages = (await this.messages(connectionId)).filter(({ role }) => role === 'receiver')
      return messages.length >= count && messages.map(({ content }) => content)
    })
  }

  proof({ proofRecordId }: Json): Promise<Json> {
    return this.ask(`/multi-tenancy/form-data/${this.tenantId}/${proofRecordId}`)
  }

  /** The proof when it is in one of these states. */
  proofIn(request: Json, ...states: string[]): Promise<Json> {
    return inState(`our proof to be ${states.join(' or ')}`, states, () => this.proof(request))
  }

  /** The credential exchange when it is in one of these states. */
  credentialIn({ id }: Json, ...states: string[]): Promise<Json> {
    return inState(`our credential exchange to be ${states.join(' or ')}`, states, () => this.ask(`/credentials/${id}`))
  }
}

/** Waits for a record in one of these states; the error says in which one it is instead. */
export const inState = async (what: string, states: string[], ask: () => Promise<Json>): Promise<Json> => {
  let last: Json
  return waitFor(what, async () => {
    last = await ask()
    return states.includes(last.state) && last
  }).catch((error) => {
    throw new Error(`${error.message}: it is ${last?.state}${last?.errorMessage ? ` (${last.errorMessage})` : ''}`)
  })
}
