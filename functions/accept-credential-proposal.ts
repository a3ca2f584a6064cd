/** AcceptCredentialProposal: turns a received proposal into an offer. */
import '../lib/agent/compose.ts'
import { acceptProposal } from '../lib/agent/exchanges/credentials/index.ts'
import { command } from '../lib/http/command.ts'
import { validate } from '../lib/http/validate.ts'
import { OfferedFormats } from '../lib/interface/credential-acceptance.ts'
import { AcceptCredentialProposal } from '../lib/interface/credential-exchanges.ts'

export const acceptCredentialProposal = command(AcceptCredentialProposal, ({ body }) =>
  acceptProposal(body, validFormats),
)

const validFormats = (credentialFormats: object, protocolVersion: string) => {
  const offered = { protocolVersion, credentialFormats }
  return validate(OfferedFormats, offered, 'request.invalid', 'the resulting offer does not match its schema')
    .credentialFormats
}
