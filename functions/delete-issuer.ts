/** DeleteIssuer: deletes an issuer, or keeps only its documents for verifiers. Its id is never reused. */
import { command } from '../lib/http/command.ts'
import { DeleteIssuer } from '../lib/interface/openid4vci-issuers.ts'
import { deleteIssuer as removeIssuer } from '../lib/openid4vci/issuers.ts'

export const deleteIssuer = command(DeleteIssuer, async ({ path, query, unit }) => {
  await removeIssuer(unit, path.issuerId, query.keep === 'public')
  return undefined
})
