/** A wallet without an endpoint that sends any message, and receives replies by return route (Aries RFC 0212 and 0685). */
import { randomUUID } from 'node:crypto'
import { RawMessages } from '../../wallet/raw-messages.ts'
import { connect } from '../scenes.ts'
import type { Caller, InProcessStage } from '../stage/in-process-stage.ts'
import { useWallet } from '../stage/use-stage.ts'

/** Message pickup, as types of messages begin. */
export const V1 = 'https://didcomm.org/messagepickup/1.0'
export const V2 = 'https://didcomm.org/messagepickup/2.0'

/** One with a completed connection to the caller's agent, for the tests of a file. */
export const useFetchingWallet = async (stage: InProcessStage, caller: Caller) => {
  const wallet = await useWallet({ endpoint: false })
  const raw = new RawMessages(wallet)
  const connected = await connect(stage, wallet, caller)
  const route = await raw.route(connected.walletConnectionId)
  const pack = (type: string, body: object = {}) =>
    raw.pack({ '@type': type, '@id': randomUUID(), '~transport': { return_route: 'all' }, ...body }, route)
  const post = (envelope: Awaited<ReturnType<typeof pack>>) => raw.postEnvelope(envelope, route.endpoint)
  const ask = async (type: string, body: object = {}) => post(await pack(type, body))
  return { wallet, raw, route, pack, post, ask, ...connected }
}
