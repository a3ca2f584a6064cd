/** A wallet's first envelope for an invitation, caught before it is sent: the agent has not received it yet. */
import { Wallet } from '../../wallet/wallet.ts'

export interface CaughtEnvelope {
  /** Its endpoint. */
  path: string
  envelope: object
}

export const catchEnvelope = async (invitationUrl: string): Promise<CaughtEnvelope> => {
  const caught = Promise.withResolvers<CaughtEnvelope>()
  const wallet = await Wallet.start({
    label: 'Newcomer',
    endpoint: false,
    network: () => async (endpoint, envelope) => {
      caught.resolve({ path: new URL(endpoint).pathname, envelope })
      return { status: 200, body: '' }
    },
  })
  await wallet.receive(invitationUrl)
  const envelope = await caught.promise
  await wallet.stop()
  return envelope
}
