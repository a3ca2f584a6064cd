/** A proof that a tenant requests from a wallet, answered with a hand-made message. */
import { type RawAnswer, RawMessages } from '../../wallet/raw-messages.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { connect } from '../scenes.ts'
import type { Caller, InProcessStage, Json } from '../stage/in-process-stage.ts'

export interface Thread {
  thid: string
  /** Of an out-of-band request: its invitation. */
  pthid?: string
}

export interface AskedProof {
  /** The request as the wallet received it, by format. */
  request: Json
  thread: Thread
  /** Sends a message. Resolves to the proof as the tenant reads it then. */
  send(message: Json): Promise<Json>
  /** The reply to the wallet, for each message. */
  answers: RawAnswer[]
}

/** Asks a wallet for a proof, over a connection of its own. `body` is that of CreateRequest. */
export const askWallet = async (
  stage: InProcessStage,
  caller: Caller & { tenantId: string },
  wallet: Wallet,
  body: object,
): Promise<AskedProof> => {
  const { walletConnectionId, request } = await connect(stage, wallet, caller, body)
  const path = { tenantId: caller.tenantId, proofRecordId: request.proofRecordId }
  const read = async (): Promise<Json> => (await stage.call('tenantProofFormData', { caller, path })).body
  const raw = new RawMessages(wallet)
  const answers: RawAnswer[] = []
  return {
    request: (await read()).request,
    thread: { thid: request.proofRecordThId, pthid: request.invitation['@id'] },
    answers,
    send: async (message) => {
      answers.push(await raw.sendOn(walletConnectionId, message))
      return read()
    },
  }
}
