/** The Credo agent of a holder: everything in memory, W3C credentials with presentation exchange, and AnonCreds. */
// First: Credo's AnonCreds copies the library's name when it is imported.
import '../../lib/agent/formats/anoncreds/library.ts'

import {
  AnonCredsDidCommCredentialFormatService,
  AnonCredsDidCommProofFormatService,
  AnonCredsModule,
  DidCommCredentialV1Protocol,
  DidCommProofV1Protocol,
  LegacyIndyDidCommCredentialFormatService,
  LegacyIndyDidCommProofFormatService,
} from '@credo-ts/anoncreds'
import {
  Agent,
  CacheModule,
  type DependencyManager,
  DidsModule,
  InjectionSymbols,
  InMemoryLruCache,
  JwkDidResolver,
  KeyDidRegistrar,
  KeyDidResolver,
  Kms,
  type Logger,
  type PeerDidNumAlgo,
  PeerDidRegistrar,
  PeerDidResolver,
  WebDidResolver,
} from '@credo-ts/core'
import {
  DidCommAutoAcceptCredential,
  DidCommAutoAcceptProof,
  DidCommCredentialV2Protocol,
  DidCommDifPresentationExchangeProofFormatService,
  DidCommJsonLdCredentialFormatService,
  DidCommMediatorPickupStrategy,
  DidCommMessageForwardingStrategy,
  DidCommModule,
  type DidCommOutboundTransport,
  DidCommProofV2Protocol,
} from '@credo-ts/didcomm'
import { QuestionAnswerModule } from '@credo-ts/question-answer'
import { WebVhAnonCredsRegistry, WebVhDidResolver } from '@credo-ts/webvh'
import { agentDependencies } from '../../lib/agent/credo/root-agent.ts'
import { anoncreds } from '../../lib/agent/formats/anoncreds/library.ts'
import { MemoryRegistry } from '../support/anoncreds/memory-registry.ts'
import { IndyLedgerRegistry } from './indy-ledger-registry.ts'
import { MemoryStorage } from './memory-storage.ts'
import type { WalletTailsFiles } from './tails-files.ts'
import { WalletKeys } from './wallet-keys.ts'
import { LocalWebVhResolver } from './webvh-registry.ts'

export interface HolderAgentOptions {
  /** The wallet's endpoint; undefined: replies come by return route only. */
  endpoint: string | undefined
  acceptOffers: boolean
  /** Kind of DID that the wallet makes for a connection: 1, 2 or 4. */
  peerDid: PeerDidNumAlgo
  outbound: DidCommOutboundTransport
  tails: WalletTailsFiles
  /** Whether it is a mediator for others, or may be reached through one (Aries RFC 0211). */
  mediation: 'mediator' | 'recipient' | undefined
  logger: Logger
}

const QUEUE = 'didcomm:transport/queue'

export type HolderAgent = ReturnType<typeof createHolderAgent>

/** Makes the agent; the caller must initialize it. */
export const createHolderAgent = ({
  endpoint = QUEUE,
  acceptOffers,
  peerDid,
  outbound,
  tails,
  mediation,
  logger,
}: HolderAgentOptions) => {
  const indy = new LegacyIndyDidCommProofFormatService()
  const webvh = new LocalWebVhResolver()
  const indyCredentials = new LegacyIndyDidCommCredentialFormatService()
  return new Agent({
    config: { logger, allowInsecureHttpUrls: true },
    dependencies: agentDependencies,
    modules: {
      storage: {
        register: (dependencyManager: DependencyManager) =>
          dependencyManager.registerInstance(InjectionSymbols.StorageService, new MemoryStorage()),
      },
      kms: new Kms.KeyManagementModule({ backends: [new WalletKeys()] }),
      cache: new CacheModule({ cache: new InMemoryLruCache({ limit: 500 }) }),
      dids: new DidsModule({
        registrars: [new KeyDidRegistrar(), new PeerDidRegistrar()],
        resolvers: [new KeyDidResolver(), new PeerDidResolver(), new WebDidResolver(), new JwkDidResolver(), webvh],
      }),
      webvh: {
        register: (dependencyManager: DependencyManager) => dependencyManager.registerInstance(WebVhDidResolver, webvh),
      },
      anoncreds: new AnonCredsModule({
        anoncreds,
        registries: [new WebVhAnonCredsRegistry(), new MemoryRegistry(), new IndyLedgerRegistry()],
        tailsFileService: tails,
      }),
      questionAnswer: new QuestionAnswerModule(),
      didcomm: new DidCommModule({
        endpoints: [endpoint],
        transports: { inbound: [], outbound: [outbound] },
        mediator: mediation === 'mediator' && {
          autoAcceptMediationRequests: true,
          messageForwardingStrategy: DidCommMessageForwardingStrategy.DirectDelivery,
        },
        mediationRecipient: mediation === 'recipient' && { mediatorPickupStrategy: DidCommMediatorPickupStrategy.None },
        messagePickup: true,
        connections: { autoAcceptConnections: true, peerNumAlgoForDidExchangeRequests: peerDid },
        credentials: {
          autoAcceptCredentials: acceptOffers ? DidCommAutoAcceptCredential.Always : DidCommAutoAcceptCredential.Never,
          credentialProtocols: [
            new DidCommCredentialV1Protocol({ indyCredentialFormat: indyCredentials }),
            new DidCommCredentialV2Protocol({
              credentialFormats: [
                new DidCommJsonLdCredentialFormatService(),
                new AnonCredsDidCommCredentialFormatService(),
                indyCredentials,
              ],
            }),
          ],
        },
        proofs: {
          // Credo's own selection fails where no credential fits; the wallet waits until it has one.
          autoAcceptProofs: DidCommAutoAcceptProof.Never,
          proofProtocols: [
            new DidCommProofV1Protocol({ indyProofFormat: indy }),
            new DidCommProofV2Protocol({
              proofFormats: [
                indy,
                new AnonCredsDidCommProofFormatService(),
                new DidCommDifPresentationExchangeProofFormatService(),
              ],
            }),
          ],
        },
      }),
    },
  })
}
