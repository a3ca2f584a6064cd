/** CreateOffer: a JSON-LD credential, offered on a connection. */
import { offerCredential } from '../lib/agent/credential-offers.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { defineCommand } from '../lib/http/command.ts'
import { CreateOffer } from '../lib/interface/credentials.ts'

export const createOffer = defineCommand(CreateOffer, {
  authorize: ({ principal }) => actingAgent(principal),
  act: ({ body }) => {
    const { connectionId, comment, autoAcceptCredential = 'contentApproved' } = body
    return offerCredential({ connectionId, comment, autoAcceptCredential, ...body.credentialFormats.jsonld })
  },
})
