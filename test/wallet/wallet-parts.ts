/** The parts of a wallet, assembled and started: journal, endpoint, transport, agent, and its own DID. */
import { type KeyDidCreateOptions, PeerDidNumAlgo } from '@credo-ts/core'
import { AwaitingTransport } from './awaiting-transport.ts'
import { createHolderAgent, type HolderAgent, type HolderAgentOptions } from './holder-agent.ts'
import { HttpEndpoint } from './http-endpoint.ts'
import { Inbox } from './inbox.ts'
import { Journal } from './journal.ts'
import type { Network } from './post.ts'
import { WalletTailsFiles } from './tails-files.ts'

export interface WalletOptions extends Partial<Pick<HolderAgentOptions, 'acceptOffers' | 'peerDid' | 'mediation'>> {
  /** The name that the other side sees. */
  label?: string
  /** `false`: no endpoint, replies come by return route only (`didcomm:transport/queue`). */
  endpoint?: boolean
  /** The only handshake that the wallet knows; by default did-exchange, or connections where that is not offered. */
  handshake?: 'didexchange' | 'connections'
  /** `false`: proof requests wait for `answerProof`. */
  answerProofs?: boolean
  /** A layer between the wallet and the agent. */
  network?: Network
}

export interface WalletParts {
  did: string
  agent: HolderAgent
  journal: Journal
  inbox: Inbox
  transport: AwaitingTransport
  tails: WalletTailsFiles
  endpoint: HttpEndpoint | undefined
}

export const startParts = async (options: WalletOptions): Promise<WalletParts> => {
  const journal = new Journal()
  const inbox = new Inbox(journal)
  const endpoint =
    options.endpoint === false
      ? undefined
      : await HttpEndpoint.listen((envelope, session) => inbox.receive(envelope, session))
  // A failed reply is recorded in the journal; the message that it replies to was still accepted.
  const transport = new AwaitingTransport(options.network ?? ((deliver) => deliver), (envelope) =>
    inbox.receive(envelope).catch(() => {}),
  )
  const tails = new WalletTailsFiles()
  const agent = createHolderAgent({
    endpoint: endpoint?.url,
    acceptOffers: options.acceptOffers ?? true,
    peerDid: options.peerDid ?? PeerDidNumAlgo.ShortFormAndLongForm,
    outbound: transport,
    tails,
    mediation: options.mediation,
    logger: journal.logger,
  })
  await agent.initialize()
  inbox.open(agent)
  return { did: await createDid(agent), agent, journal, inbox, transport, tails, endpoint }
}

const createDid = async (agent: HolderAgent): Promise<string> => {
  const { didState } = await agent.dids.create<KeyDidCreateOptions>({
    method: 'key',
    options: { createKey: { type: { kty: 'OKP', crv: 'Ed25519' } } },
  })
  if (didState.state !== 'finished') throw new Error('the wallet could not make its DID')
  return didState.did
}
