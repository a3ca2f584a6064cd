/** ReceivePresentation: the answer of a wallet is verified, and written with the end of its session. */
import { command } from '../lib/http/command.ts'
import { ReceivePresentation } from '../lib/interface/openid4vp-wallets.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { commitAnswer, prepareAnswer } from '../lib/openid4vp/receive.ts'

export const receivePresentation = command(ReceivePresentation, {
  authorize: ({ path }) => tenantOfPublicId(path.verifierId, 'verifier'),
  // Hosts of issuers and of status lists are asked before the transaction.
  prepare: ({ agent, path, query, body }) =>
    prepareAnswer({ tenant: agent, verifierId: path.verifierId, sessionId: query.session }, body),
  handle: ({ path, query, unit, prepared }) =>
    commitAnswer(unit, { verifierId: path.verifierId, sessionId: query.session }, prepared),
})
