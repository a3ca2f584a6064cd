/** CreateOffer: a JSON-LD credential, offered on a connection. */
import { offerCredential } from '../lib/agent/credential-offers.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { transactional } from '../lib/http/transactional.ts'
import { CreateOffer } from '../lib/interface/credentials.ts'

export const createOffer = defineOperation(
  CreateOffer,
  transactional(({ body }) => {
    const { connectionId, comment, autoAcceptCredential = 'contentApproved' } = body
    return offerCredential({ connectionId, comment, autoAcceptCredential, ...body.credentialFormats.jsonld })
  }),
)
