/** A DID of a wallet that names its endpoint: other agents may request a connection without an invitation. */
import { createPeerDidDocumentFromServices, PeerDidNumAlgo } from '@credo-ts/core'
import { DidCommRoutingService } from '@credo-ts/didcomm'
import type { Wallet } from './wallet.ts'

export const publicDidOf = async ({ agent }: Wallet): Promise<string> => {
  const { recipientKey, endpoints } = await agent.dependencyManager
    .resolve(DidCommRoutingService)
    .getRouting(agent.context)
  const services = endpoints.map((serviceEndpoint) => ({
    ...{ id: 'didcomm', recipientKeys: [recipientKey], routingKeys: [], serviceEndpoint },
  }))
  const { didDocument, keys } = createPeerDidDocumentFromServices(services, true)
  const { didState } = await agent.dids.create({
    method: 'peer',
    didDocument,
    options: { numAlgo: PeerDidNumAlgo.MultipleInceptionKeyWithoutDoc, keys },
  })
  if (didState.did === undefined) throw new Error('the wallet could not make its DID')
  return didState.did
}
