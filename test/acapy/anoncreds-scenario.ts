/** What scenarios of AnonCreds have in common: the names of their protocols, and the credential that they begin with. */
import { issueOnConnection, issueOutOfBand, type Offered } from './anoncreds-offers.ts'
import type { Scene } from './scenario.ts'

export const WEBVH = 'AnonCreds, did:webvh'
export const INDY = 'AnonCreds, Indy ledger'

/** Wallets that read the Indy ledger too. */
export const LEDGER = { wallet: 'ledger' } as const

/** What is presented to `nameAndAge`. */
export const chosenOf = (credentialId: string) => ({
  revealed: { name: credentialId },
  predicates: { adult: credentialId },
})

export interface Exchange extends Offered {
  of: 'webvh' | 'indy'
  outOfBand?: boolean
}

/** The wallet has a credential of ours. */
export const taken = async (scene: Scene, exchange: Exchange) => {
  const definition = (await scene.issuer())[exchange.of]
  const issue = exchange.outOfBand ? issueOutOfBand : issueOnConnection
  return { definition, ...(await issue(scene, definition, exchange)) }
}
