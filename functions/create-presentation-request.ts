/** CreatePresentationRequest: makes a request for credentials, which a wallet reads by its link. */
import { command } from '../lib/http/command.ts'
import { CreatePresentationRequest } from '../lib/interface/openid4vp.ts'
import { createRequest } from '../lib/openid4vp/request.ts'
import { showSession } from '../lib/openid4vp/session.ts'

export const createPresentationRequest = command(CreatePresentationRequest, async ({ body, unit }) => {
  const { session, pageUrl } = await createRequest(unit, body)
  const { authorizationRequest } = session
  return { authorizationRequest, pageUrl, verificationSession: showSession(session) }
})
