/** RequestNonce: gives a wallet a nonce for its proofs. */
import { AgentError } from '../lib/errors.ts'
import { query } from '../lib/http/query.ts'
import { RequestNonce } from '../lib/interface/openid4vci-wallets.ts'
import { macOf } from '../lib/openid/mac.ts'
import { isIssuing, readPublicIssuer } from '../lib/openid4vci/issuers.ts'
import { newNonce } from '../lib/openid4vci/nonce.ts'

export const requestNonce = query(RequestNonce, async ({ path: { issuerId } }) => {
  const { tenant, issuer } = await readPublicIssuer(issuerId)
  if (!isIssuing(issuer)) throw new AgentError('resource.not_found', 'no such issuer')
  return { c_nonce: newNonce(await macOf(tenant, issuerId)) }
})
