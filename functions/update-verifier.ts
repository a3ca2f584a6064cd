/** UpdateVerifier: replaces the settings of a verifier. */
import { command } from '../lib/http/command.ts'
import { UpdateVerifier } from '../lib/interface/openid4vp.ts'
import { updateVerifier as replaceSettings } from '../lib/openid4vp/verifiers.ts'

export const updateVerifier = command(UpdateVerifier, ({ path, body, unit }) =>
  replaceSettings(unit, path.verifierId, body),
)
