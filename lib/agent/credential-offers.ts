/** Offers of JSON-LD credentials (Aries RFC 0453 with RFC 0593). */
import type { DidCommAutoAcceptCredential, JsonCredential } from '@credo-ts/didcomm'
import { toCredentialExchangeJson } from '../records/credential-exchange.ts'
import type { RecordJson } from '../records/record-json.ts'
import { currentAgent } from './agent.ts'
import { readyConnection, send } from './connections.ts'
import { assertOwnDid, issuerDid } from './dids.ts'
import { assertSignable } from './signable-credential.ts'
import { toStored } from './storage-service.ts'

export interface CredentialOffer {
  connectionId: string
  /** A credential of W3C VC data model 1.1 without proof; `issuer` may be absent. */
  credential: Record<string, unknown>
  options: { proofType: string; proofPurpose: string }
  autoAcceptCredential: `${DidCommAutoAcceptCredential}`
  comment?: string | undefined
}

/**
 * Offers a credential on a connection, in the running unit of work. Returns the exchange record (`offer-sent`).
 * Throws `resource.not_found`, `connection.not_ready`, and `request.invalid` for an issuer that is not this agent or a credential that
 * can't be signed.
 */
export const offerCredential = async (offer: CredentialOffer): Promise<RecordJson> => {
  const { connectionId, credential, options, autoAcceptCredential, comment } = offer
  const agent = await currentAgent()
  await readyConnection(agent.context, connectionId)
  const named = issuerOf(credential)
  if (named !== undefined) await assertOwnDid(agent, named, 'credentialFormats.jsonld.credential.issuer')
  const did = named ?? (await issuerDid(agent))
  const offered = { ...credential, issuer: credential.issuer ?? did }
  await assertSignable(agent.context, offered, did)
  const record = await send(() =>
    agent.didcomm.credentials.offerCredential({
      connectionId,
      protocolVersion: 'v2',
      credentialFormats: { jsonld: { credential: offered as JsonCredential, options } },
      autoAcceptCredential: autoAcceptCredential as DidCommAutoAcceptCredential,
      ...(comment === undefined ? {} : { comment }),
    }),
  )
  return toCredentialExchangeJson(toStored(agent.context, record))
}

const issuerOf = ({ issuer }: Record<string, unknown>): string | undefined => {
  if (typeof issuer === 'string') return issuer
  return typeof issuer === 'object' && issuer !== null && 'id' in issuer ? String(issuer.id) : undefined
}
