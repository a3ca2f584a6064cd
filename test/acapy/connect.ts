/** The first step of nearly every scenario: the wallet takes an invitation of ours, which always carries a proof request. */
import type { Json } from '../support/stage/in-process-stage.ts'
import type { AcaPy } from './acapy.ts'
import { walletConnectionIdOf } from './connections.ts'
import { anyDegree } from './requests.ts'
import type { Scene } from './scenario.ts'

export interface Handshake {
  /** The only one that the wallet is shown, as `didexchange/1.0`; none: all that the invitation offers. */
  protocol?: string
  /** The DID that the wallet must use; by default its own choice, which is did:peer:4. */
  didMethod?: 'did:peer:2' | 'did:peer:4'
}

export interface Connected {
  /** Answer of CreateRequest. */
  request: Json
  /** Our connection. */
  connection: Json
  /** The wallet's connection. */
  walletConnectionId: string
}

/** The message in the URL of an invitation (Aries RFC 0434), as a wallet reads it. */
export const invitationOf = ({ invitationUrl }: Json): Json =>
  JSON.parse(Buffer.from(new URL(invitationUrl).searchParams.get('oob') ?? '', 'base64url').toString())

/** Lets the wallet take an invitation. Resolves to its connection's id. */
export const receive = async (acapy: AcaPy, invitation: Json, handshake: Handshake = {}): Promise<string> => {
  const { protocol, didMethod } = handshake
  const shown =
    protocol === undefined ? invitation : { ...invitation, handshake_protocols: [`https://didcomm.org/${protocol}`] }
  const path = '/out-of-band/receive-invitation?use_existing_connection=true'
  if (didMethod === undefined) return (await acapy.post(`${path}&auto_accept=true`, shown)).connection_id
  // It waits for the connection, which is ours to accept.
  const [record] = await Promise.all([acapy.post(`${path}&auto_accept=false`, shown), accept(acapy, shown, didMethod)])
  return record.connection_id
}

const accept = async (acapy: AcaPy, invitation: Json, didMethod: string): Promise<void> => {
  const connectionId = await walletConnectionIdOf(acapy, invitation['@id'])
  await acapy.post(`/didexchange/${connectionId}/accept-invitation?use_did_method=${didMethod}`)
}

/** Makes a proof request and lets the wallet connect by its invitation, until both sides call the connection complete. */
export const connect = async (
  { acapy, agent }: Scene,
  handshake: Handshake = {},
  body: object = anyDegree(),
): Promise<Connected> => {
  const request = await agent.request(body)
  const walletConnectionId = await receive(acapy, invitationOf(request), handshake)
  await acapy.recordIn(`/connections/${walletConnectionId}`, 'completed')
  return { request, connection: await agent.completed(request), walletConnectionId }
}
