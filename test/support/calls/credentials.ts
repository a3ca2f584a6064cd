/** Example calls on credential exchanges. */
import { randomUUID } from 'node:crypto'
import { addIssuedExchange, revocableAt } from '../anoncreds/issued-exchange.ts'
import { offerBody } from '../scenes.ts'
import type { Examples } from './call-scene.ts'
import { declined, issued, offered, proposalBody, proposed, requested } from './exchanges.ts'

/** A step of an exchange, which is named in the body. */
const step = (credentialRecordId: string, more: object = {}) => ({
  asked: { body: { credentialRecordId, ...more } },
  other: { body: { credentialRecordId: randomUUID() } },
})

export const credentials: Examples = {
  GetCredentials: async (scene) => {
    await scene.done('CreateOffer', { body: offerBody(await scene.connection(), scene.wallet.did) })
    return { asked: { query: { role: 'issuer', limit: '10' } }, other: { query: {} } }
  },
  GetW3cCredentials: async (scene) => {
    await scene.once('held credential', () => issued(scene))
    return { asked: { query: { limit: '10' } }, other: { query: { order: 'desc' } } }
  },
  ProposeCredential: async (scene) => {
    const body = proposalBody((await scene.peer()).connectionId)
    return { asked: { body: { ...body, comment: 'please' } }, other: { body } }
  },
  AcceptCredentialProposal: async (scene) => step(await proposed(scene)),
  AcceptCredentialOffer: async (scene) => step(await offered(scene)),
  DeclineCredentialOffer: async (scene) => step(await offered(scene), { problemReportDescription: 'not mine' }),
  AcceptCredentialRequest: async (scene) => step(await requested(scene)),
  AcceptCredential: async (scene) => step((await issued(scene)).id),
  DeleteCredential: async (scene) => ({
    asked: { path: { credentialRecordId: await offered(scene) }, query: { abandon: 'true' } },
    other: { path: { credentialRecordId: await declined(scene) } },
  }),
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
