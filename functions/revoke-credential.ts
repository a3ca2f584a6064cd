/** RevokeCredential: commits the revocation before the answer; a job publishes it. */
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { RevokeCredential } from '../lib/interface/credentials.ts'
import { revokeCredential as revoke } from '../lib/revocation/pending-revocation.ts'

export const revokeCredential = defineOperation(RevokeCredential, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, unit }) => revoke(unit, path.credentialRecordId),
  inTransaction,
})
