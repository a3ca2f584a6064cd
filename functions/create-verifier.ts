/** CreateVerifier: creates a verifier of OpenID4VP. */
import { command } from '../lib/http/command.ts'
import { CreateVerifier } from '../lib/interface/openid4vp.ts'
import { createVerifier as insertVerifier } from '../lib/openid4vp/verifiers.ts'

export const createVerifier = command(CreateVerifier, ({ body, unit }) => insertVerifier(unit, body))
