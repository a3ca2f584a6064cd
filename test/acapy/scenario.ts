/** What a scenario of the interop suite is: something that an ACA-Py and the service do together. */
import type { AcaPy } from './acapy.ts'
import type { OurAgent } from './agent.ts'
import { VERSIONS, type Version } from './install.ts'
import type { Issuer } from './issuer.ts'
import type { Delivery } from './relay.ts'
import type { WalletIssuer } from './wallet-issuer.ts'

/**
 * The wallet of a scenario: `shared` with others; `own` to the scenario, which may end it; `silent`: its DID document has no
 * service, and `queue`: it names no endpoint that can be reached; both take answers by return route; `mediated`: other agents
 * reach it through an ACA-Py mediator; `automatic`: it answers offers and requests by itself; `ledger`: it reads the Indy ledger;
 * `anoncreds`: it does too, and holds AnonCreds of any registry also where older versions hold those of Indy; `public`: it has a did:peer:4 as
 * its public DID, and takes requests by it.
 */
export type WalletKind =
  | 'shared'
  | 'own'
  | 'silent'
  | 'queue'
  | 'mediated'
  | 'automatic'
  | 'ledger'
  | 'anoncreds'
  | 'public'

export interface Scene {
  acapy: AcaPy
  agent: OurAgent
  /** What was posted to the agent's endpoint so far. */
  deliveries(): Delivery[]
  /** Delivers all of it once more; resolves to the statuses. */
  deliverAgain(): Promise<number[]>
  /** Another wallet of the same version. */
  anotherWallet(): Promise<AcaPy>
  /** The mediator of a mediated wallet. */
  mediator(): Promise<AcaPy>
  /** An ACA-Py that issues by a DID on the Indy ledger, which scenarios share. */
  walletIssuer(): Promise<WalletIssuer>
  /** A tenant with credential definitions, which scenarios share. */
  issuer(): Promise<Issuer>
}

export interface Scenario {
  /** In kebab case; what a filter of the command line is compared with. */
  name: string
  /** A sentence of behaviour. */
  title: string
  protocol: string
  /** Ours. */
  role: string
  versions: readonly Version[]
  /** `shared` by default. */
  wallet?: WalletKind
  /** A fresh tenant by default. */
  agent?: 'base' | 'tenant'
  /** Each envelope of the wallet is delivered three times. */
  repeated?: boolean
  /** Our endpoint may reject something with a 4xx; a 5xx never passes. */
  refuses?: boolean
  /** Rejects when something does not hold. */
  play(scene: Scene): Promise<void>
}

/** What scenarios may have in common; by default with every version of ACA-Py. */
type Kind = Omit<Scenario, 'name' | 'title' | 'versions' | 'play'> & Partial<Pick<Scenario, 'versions'>>

export const scenario = (kind: Kind, name: string, title: string, play: Scenario['play']): Scenario => ({
  versions: VERSIONS,
  ...kind,
  name,
  title,
  play,
})
