/**
 * Events of AnonCreds for cold starts: what the functions of it are called with, and envelopes that make
 * receive-didcomm load the library.
 */
import type { DidCommEncryptedMessage } from '@credo-ts/didcomm'
import { AnonCredsScene, WALLET } from '../support/bench/anoncreds-scene.ts'
import type { BundledStage } from '../support/bench/bundled-stage.ts'
import { gatewayEvent } from '../support/bench/gateway-event.ts'
import { startCapturingWallet } from '../support/bench/scene.ts'

/** An event of a function that differs from the one that stands for it. */
export interface Variant {
  /** Of the function. */
  of: string
  /** What it is shown as. */
  name: string
  event: () => unknown
}

/** Each once: a repeated message is not handled again. */
const oneAfterTheOther = (path: Record<string, string>, envelopes: DidCommEncryptedMessage[]) => () => {
  const body = envelopes.shift()
  if (body === undefined) throw new Error('there are fewer envelopes than starts')
  return gatewayEvent({ path, body })
}

/** Issues a credential, calls every function of AnonCreds, and has envelopes for this many starts. */
export const prepareAnonCreds = async (stage: BundledStage, starts: number): Promise<Variant[]> => {
  const capturing = await startCapturingWallet(WALLET)
  const scene = await AnonCredsScene.play(stage.call, capturing)
  const { caller, schemaId, credentialDefinitionId, offerCall } = scene
  await stage.call('get-schema-by-id', { caller, path: { schemaId } })
  await stage.call('get-credential-definitions', { caller })
  await stage.call('get-credential-definition-by-id', { caller, path: { credentialDefinitionId } })
  const { connectionId: _, ...offer } = offerCall.body as Record<string, unknown>
  await stage.call('create-offer-oob', { caller, body: offer })

  const requests: DidCommEncryptedMessage[] = []
  const presentations: DidCommEncryptedMessage[] = []
  for (let start = 0; start < starts; start++) {
    const { body: offered } = await stage.call('create-offer', offerCall)
    requests.push((await scene.request(offered)).envelope)
    presentations.push((await scene.present({ nonRevoked: true })).envelope)
  }
  await stage.call('revoke-credential', { caller, path: { credentialRecordId: scene.heldRecordId } })
  await capturing.wallet.stop()
  return [
    { of: 'create-offer', name: 'create-offer, AnonCreds', event: () => gatewayEvent(offerCall) },
    { of: 'receive-didcomm', name: 'receive-didcomm, issues', event: oneAfterTheOther(caller, requests) },
    { of: 'receive-didcomm', name: 'receive-didcomm, verifies', event: oneAfterTheOther(caller, presentations) },
  ]
}
