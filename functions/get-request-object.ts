/** GetRequestObject: a wallet reads the signed request of a session. */
import { command } from '../lib/http/command.ts'
import { Document } from '../lib/http/request.ts'
import { GetRequestObject } from '../lib/interface/openid4vp-wallets.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { requestObject } from '../lib/openid4vp/request-object.ts'

export const getRequestObject = command(GetRequestObject, {
  authorize: ({ path }) => tenantOfPublicId(path.verifierId, 'verifier'),
  handle: async ({ path, unit }) => new Document(await requestObject(unit, path)),
})
