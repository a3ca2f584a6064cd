/**
 * The context of the example calls: a running service, a tenant of it, and a wallet with connections to the tenant.
 */
import { waitFor } from '../../wallet/wait.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { requestBody } from '../scenes.ts'
import type { Call, Caller, Json, Reply } from '../stage/in-process-stage.ts'

/** Calls an operation of a running service, by its operationId. */
export type CallOperation = (operationId: string, call: Call) => Promise<Pick<Reply, 'status' | 'body'>>

/** A request to an operation, without who makes it. */
export type Asked = Pick<Call, 'path' | 'query' | 'body' | 'headers'>

/** A request that succeeds, once: it changes only records of its own. */
export interface CallExample {
  asked: Asked
  /** Another valid one, whose answer may be empty; required of operations that take an `Idempotency-Key`. */
  other?: Asked
  /** An authorized caller. By default the scene's tenant. */
  caller?: Caller
  /** An unauthorized caller with a valid token. None where every token is authorized, in its own agent. */
  unauthorized?: Caller
  /** Every caller gets the same answer. By default, records that the path names are shown to their own agent only. */
  isPublic?: true
  /** Base of generated requests in place of `asked` and `other`. */
  generateFrom?: Asked[]
}

/** Another tenant, with a connection to the scene's. */
export interface Peer {
  caller: { tenantId: string }
  /** The scene's side. */
  connectionId: string
  theirConnectionId: string
}

export type MakeExample = (scene: CallScene) => Promise<CallExample>

/** By operationId. */
export type Examples = Record<string, MakeExample>

export class CallScene {
  readonly tenantId: string
  readonly wallet: Wallet
  readonly #call: CallOperation
  readonly #made = new Map<string, Promise<unknown>>()

  constructor(call: CallOperation, wallet: Wallet, tenantId: string) {
    this.#call = call
    this.wallet = wallet
    this.tenantId = tenantId
  }

  /** A scene in a new tenant. Messages must be delivered automatically until it is complete. */
  static async start(call: CallOperation, wallet: Wallet): Promise<CallScene> {
    const { body: tenant } = await call('CreateTenant', { body: { config: { label: 'Acme' } } })
    return new CallScene(call, wallet, tenant.id)
  }

  /** Calls an operation, by default as the scene's tenant. */
  call(operationId: string, call: Call = {}): Promise<Pick<Reply, 'status' | 'body'>> {
    return this.#call(operationId, { caller: { tenantId: this.tenantId }, ...call })
  }

  /** The same, and resolves to the body of the answer. Rejects unless it succeeds. */
  async done(operationId: string, call?: Call): Promise<Json> {
    const { status, body } = await this.call(operationId, call)
    if (status >= 300) throw new Error(`${operationId} answers ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** Shared by the examples, and made at the first use. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#made.get(name) as Promise<T> | undefined) ?? make()
    this.#made.set(name, made)
    return made
  }

  /** The id of a completed connection with the wallet, and of another one. */
  connection(which: 'first' | 'second' = 'first'): Promise<string> {
    return this.once(`${which} connection`, () => this.connect())
  }

  /** A new connection with the wallet. Resolves to its id when both sides call it completed. */
  async connect(): Promise<string> {
    const request = await this.done('CreateRequest', { body: requestBody })
    await this.wallet.connect(request.invitationUrl)
    const query = { outOfBandId: request.outOfBandRecord.id }
    return (await this.until('GetConnections', { query }, ([found]) => found?.state === 'completed'))[0].id
  }

  /**
   * Another tenant of the service, the ids of a completed connection on the scene's side and on its own. For exchanges
   * between two agents.
   */
  peer(): Promise<Peer> {
    return this.once('peer', async () => {
      const caller = await this.newTenant()
      const { invitationUrl, outOfBandRecord } = await this.done('CreateInvitation', { body: {} })
      const taken = await this.done('ReceiveInvitationUrl', { caller, body: { invitationUrl } })
      const query = { outOfBandId: outOfBandRecord.id }
      const [own] = await this.until('GetConnections', { query }, ([found]) => found?.state === 'completed')
      const path = { connectionId: taken.connectionRecord.id }
      const peerConnection = await this.until(
        'GetConnectionById',
        { caller, path },
        ({ state }) => state === 'completed',
      )
      return { caller, connectionId: own.id, theirConnectionId: peerConnection.id }
    })
  }

  /** Calls a reading operation until its answer satisfies `fits`. Resolves to this answer. */
  until(operationId: string, call: Call, fits: (body: Json) => boolean): Promise<Json> {
    return waitFor(`${operationId} to show it`, async () => {
      const body = await this.done(operationId, call)
      return fits(body) && body
    })
  }

  /** A new tenant without records. */
  async newTenant(): Promise<{ tenantId: string }> {
    const { body } = await this.#call('CreateTenant', { body: { config: { label: 'Another' } } })
    return { tenantId: body.id }
  }
}
