/** ReceivePresentation: verifies the response of a wallet, and writes it with the end of its session. */
import { command } from '../lib/http/command.ts'
import { ReceivePresentation } from '../lib/interface/openid4vp-wallets.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { commitResponse, prepareResponse } from '../lib/openid4vp/receive.ts'

export const receivePresentation = command(ReceivePresentation, {
  authorize: ({ path }) => tenantOfPublicId(path.verifierId, 'verifier'),
  // Issuer keys and status lists are fetched before the transaction.
  prepare: ({ agent, path, query, body }) =>
    prepareResponse({ tenant: agent, verifierId: path.verifierId, sessionId: query.session }, body),
  handle: ({ path, query, unit, prepared }) =>
    commitResponse(unit, { verifierId: path.verifierId, sessionId: query.session }, prepared),
})
