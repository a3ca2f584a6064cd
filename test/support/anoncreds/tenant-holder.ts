/** A tenant that holds AnonCreds of another tenant, and the secrets of both. */
// First: Credo's AnonCreds copies the library's name when it is imported.
import '../../../lib/agent/formats/anoncreds/library.ts'

import { AnonCredsCredentialDefinitionPrivateRepository, AnonCredsLinkSecretRepository } from '@credo-ts/anoncreds'
import { waitFor } from '../../wallet/wait.ts'
import type { InProcessStage, Json } from '../stage/in-process-stage.ts'
import { inTenant } from './world.ts'

export interface Issuance {
  issuer: { tenantId: string }
  holder: { tenantId: string }
  /** The issuer's connection. */
  connectionId: string
  protocolVersion?: string
  credentialFormats: object
}

/** Offers a credential. Resolves, when the holder has the offer, to both exchanges. */
export const offerToTenant = async (
  stage: InProcessStage,
  { issuer, holder, connectionId, protocolVersion = 'v2', credentialFormats }: Issuance,
): Promise<{ id: string; heldId: string }> => {
  const body = { connectionId, protocolVersion, credentialFormats }
  const { body: offer } = await stage.call('createOffer', { caller: issuer, body })
  if (offer.threadId === undefined) throw new Error(`no offer was made: ${JSON.stringify(offer)}`)
  const heldId: string = await waitFor('the offer', async () => {
    const { body: found } = await stage.call('getCredentials', { caller: holder, query: { threadId: offer.threadId } })
    return found[0]?.id
  })
  return { id: offer.id, heldId }
}

export const acceptOffer = async (
  stage: InProcessStage,
  caller: { tenantId: string },
  credentialRecordId: string,
): Promise<void> => {
  const { status, body } = await stage.call('acceptCredentialOffer', { caller, body: { credentialRecordId } })
  if (status !== 200) throw new Error(`the offer was not accepted: ${status} ${JSON.stringify(body)}`)
}

/** The holder's exchange when the credential is stored. */
export const storedBy = (
  stage: InProcessStage,
  holder: { tenantId: string },
  credentialRecordId: string,
): Promise<Json> =>
  waitFor('the credential', async () => {
    const { body } = await stage.call('getCredentialById', { caller: holder, path: { credentialRecordId } })
    if (body.state === 'abandoned') throw new Error(body.errorMessage)
    return body.state === 'done' && body
  })

/** The issuer's private key, the holder's link secret and the factor that blinded it: numbers, as they would be written in plain text. */
export const secretsOf = async (
  issuer: { tenantId: string; credentialDefinitionId: string },
  holder: { tenantId: string; heldId: string },
): Promise<string[]> => {
  const key: Json = await inTenant(issuer.tenantId, async ({ context }) => {
    const definitions = context.resolve(AnonCredsCredentialDefinitionPrivateRepository)
    return (await definitions.getByCredentialDefinitionId(context, issuer.credentialDefinitionId)).value
  })
  const held = await inTenant(holder.tenantId, async ({ context, didcomm }) => {
    const { value = '' } = await context.resolve(AnonCredsLinkSecretRepository).getDefault(context)
    const { metadata } = await didcomm.credentials.getById(holder.heldId)
    const request: Json = metadata.get('_anoncreds/credentialRequest')
    return [value, request.link_secret_blinding_data.v_prime]
  })
  const { p, q } = key.value.p_key
  return [p, q, ...held]
}
