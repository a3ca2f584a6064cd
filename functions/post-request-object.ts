/** PostRequestObject: a wallet reads the signed request of a session, with its nonce in it. */
import { command } from '../lib/http/command.ts'
import { Document } from '../lib/http/request.ts'
import { PostRequestObject } from '../lib/interface/openid4vp-wallets.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { requestObject } from '../lib/openid4vp/request-object.ts'

export const postRequestObject = command(PostRequestObject, {
  authorize: ({ path }) => tenantOfPublicId(path.verifierId, 'verifier'),
  handle: async ({ path, body, unit }) =>
    new Document(await requestObject(unit, { ...path, walletNonce: body.wallet_nonce })),
})
