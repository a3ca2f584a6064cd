/** DeleteVerifier: deletes a verifier, whose id is never given again. */
import { command } from '../lib/http/command.ts'
import { DeleteVerifier } from '../lib/interface/openid4vp.ts'
import { deleteVerifier as removeVerifier } from '../lib/openid4vp/verifiers.ts'

export const deleteVerifier = command(DeleteVerifier, async ({ path, unit }) => {
  await removeVerifier(unit, path.verifierId)
  return undefined
})
