/** Validates the invitation of a URL as the same invitation in a body. */
import * as v from 'valibot'
import { invalidField } from '../errors.ts'
import { isObject } from '../json.ts'
import { InvitationMessage, ServiceMessage } from '../records/invitation-message.ts'
import { assertSafeJson } from './body.ts'
import { validate } from './validate.ts'

const PATH = 'invitationUrl'
const INVALID = 'The URL has no valid invitation'

const Addressed = v.object({ [PATH]: InvitationMessage })
/** A connectionless request without an invitation (Aries RFC 0056). */
const AddressedRequest = v.object({ [PATH]: ServiceMessage })

/**
 * The invitation in the JSON that was read from a URL. Throws `request.invalid`. If nothing was read, the reason is
 * left out, because it would reveal which hosts exist in our network.
 */
export const addressedInvitation = (json: unknown): InvitationMessage | ServiceMessage => {
  if (json === undefined) throw invalidField(PATH, 'must lead to an invitation that this agent can accept')
  if (!isObject(json)) throw invalidField(PATH, 'must lead to an invitation in JSON, not to a page or other content')
  const input = { [PATH]: json }
  assertSafeJson(input, INVALID)
  const schema = isObject(json['~service']) ? AddressedRequest : Addressed
  return validate<typeof Addressed | typeof AddressedRequest>(schema, input, 'request.invalid', INVALID)[PATH]
}
