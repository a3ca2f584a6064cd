/** GetCredentialOffer: a wallet reads an offer by its reference. */
import { command } from '../lib/http/command.ts'
import { Document } from '../lib/http/request.ts'
import { GetCredentialOffer } from '../lib/interface/openid4vci-wallets.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { readOffer } from '../lib/openid4vci/offer.ts'

export const getCredentialOffer = command(GetCredentialOffer, {
  authorize: ({ path }) => tenantOfPublicId(path.issuerId, 'issuer'),
  handle: async ({ path, unit }) => new Document(await readOffer(unit, path.issuerId, path.issuanceSessionId)),
})
