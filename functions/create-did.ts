/** CreateDid: creates a DID of the agent, and its keys. */
import '../lib/agent/compose.ts'
import { writeDid } from '../lib/agent/dids/index.ts'
import { command } from '../lib/http/command.ts'
import { CreateDid } from '../lib/interface/dids.ts'
import { sealedResponses } from '../lib/store/sealed-responses.ts'

export const createDid = command(CreateDid, {
  handle: ({ body }) => writeDid(body),
  // A weak seed could be guessed from the digest of a request.
  codec: sealedResponses,
})
