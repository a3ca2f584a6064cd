/** RevokeCredential: commits the revocation before the response; a job publishes it. */
import { command } from '../lib/http/command.ts'
import { RevokeCredential } from '../lib/interface/credentials.ts'
import { revokeCredential as revoke } from '../lib/revocation/pending-revocation.ts'

export const revokeCredential = command(RevokeCredential, ({ path, unit }) => revoke(unit, path.credentialRecordId))
