/** CreateCredentialOffer: offers credentials to a wallet, which reads the offer by its link. */
import { command } from '../lib/http/command.ts'
import { CreateCredentialOffer } from '../lib/interface/openid4vci.ts'
import { createOffer } from '../lib/openid4vci/offer.ts'
import { showSession } from '../lib/openid4vci/session.ts'
import { sealedResponses } from '../lib/store/sealed-responses.ts'

export const createCredentialOffer = command(CreateCredentialOffer, {
  handle: async ({ body, unit }) => {
    const { session, ...links } = await createOffer(unit, body)
    return { ...links, issuanceSession: showSession(session) }
  },
  // With the PIN, and claims in the request.
  codec: sealedResponses,
})
