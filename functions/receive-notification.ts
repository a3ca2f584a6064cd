/** ReceiveNotification: stores the notification of a wallet about credentials. */
import { command } from '../lib/http/command.ts'
import { ReceiveNotification } from '../lib/interface/openid4vci-wallets.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { notify } from '../lib/openid4vci/notification.ts'

export const receiveNotification = command(ReceiveNotification, {
  authorize: ({ path }) => tenantOfPublicId(path.issuerId, 'issuer'),
  handle: ({ path, accessToken, body, unit }) => notify(unit, path.issuerId, accessToken, body),
})
