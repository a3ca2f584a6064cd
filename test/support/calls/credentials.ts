/** Example calls on credential exchanges. */
import { randomUUID } from 'node:crypto'
import { addIssuedExchange, revocableAt } from '../anoncreds/issued-exchange.ts'
import { offerBody } from '../scenes.ts'
import type { Examples } from './call-scene.ts'

export const credentials: Examples = {
  GetCredentialById: async (scene) => {
    const body = offerBody(await scene.connection(), scene.wallet.did)
    const { id } = await scene.done('CreateOffer', { body })
    return { asked: { path: { credentialRecordId: id } } }
  },
  CreateOffer: async (scene) => ({
    asked: { body: { ...offerBody(await scene.connection(), scene.wallet.did), comment: 'c' } },
    other: { body: offerBody(await scene.connection('second'), scene.wallet.did) },
  }),
  CreateOfferOob: async (scene) => {
    const { protocolVersion, credentialFormats } = offerBody('', scene.wallet.did)
    const body = { protocolVersion, credentialFormats }
    return { asked: { body: { ...body, label: 'l', goalCode: 'g' } }, other: { body: { ...body, comment: 'another' } } }
  },
  RevokeCredential: async ({ tenantId }) => ({
    asked: {
      path: { credentialRecordId: await addIssuedExchange(tenantId, revocableAt(`registry-${randomUUID()}`, 1)) },
    },
    other: { path: { credentialRecordId: 'another' } },
    // Its registry is not there: the job would complain.
    generateFrom: [{ path: { credentialRecordId: await addIssuedExchange(tenantId, {}) } }],
  }),
}
