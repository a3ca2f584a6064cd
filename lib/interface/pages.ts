/** Contracts of HTML pages: an invitation, and the API reference. */
import * as v from 'valibot'
import { INVITATION_MEMBERS, OLDER_MEMBERS } from '../records/out-of-band.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract, OPEN } from './contract.ts'

/** An invitation of either protocol. https://github.com/hyperledger/aries-rfcs/tree/main/features/0434-outofband */
const Invitation = v.looseObject({ ...INVITATION_MEMBERS, ...OLDER_MEMBERS })

/** More characters than the gateway accepts in a URL. */
const MAX_QUERY = 10_240

export const ShowInvitation = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'ShowInvitation',
  path: '/',
  summary: 'Show an invitation',
  description:
    'The target of `invitationUrl`: an HTML page, or the invitation if the caller asks for JSON. Only invitations that an agent of this ' +
    'service has created are shown, unaltered. 410: the invitation was used or deleted.',
  parameters: {
    query: v.object({
      /** The invitation in base64url; in `c_i` one of the connections protocol. */
      oob: v.optional(v.pipe(v.string(), v.maxLength(MAX_QUERY))),
      c_i: v.optional(v.pipe(v.string(), v.maxLength(MAX_QUERY))),
    }),
  },
  pages: 'html or json',
  responses: { 200: Invitation },
  errorStatuses: [404, 410],
}))

export const GetInvitationById = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetInvitationById',
  path: '/url/{invitationId}',
  summary: 'Get an invitation by its id',
  description:
    'The target of `shortInvitationUrl`: the invitation if the caller asks for JSON, otherwise a redirect to `invitationUrl`. An invitation that is too ' +
    'long for a URL is shown here. 410: the invitation was used or deleted.',
  parameters: { path: v.object({ invitationId: EntityId }) },
  pages: 'html or json',
  redirects: true,
  responses: { 200: Invitation },
  errorStatuses: [404, 410],
}))

export const ShowDocs = /* @__PURE__ */ defineContract(() => ({
  operationId: 'ShowDocs',
  method: 'GET',
  path: '/docs',
  summary: 'Show the API reference',
  security: 'none',
  pages: 'html',
  responses: { 200: v.string() },
}))

/** A file name without a path. */
const FileName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z]+){0,3}$/, 'must be the name of a file'),
  v.maxLength(64),
)

export const GetBrowserFile = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetBrowserFile',
  path: '/assets/{file}',
  summary: 'Get a file that the pages load',
  parameters: { path: v.object({ file: FileName }) },
  contentType: ['text/css', 'text/javascript', 'text/plain'],
  responses: { 200: v.string() },
}))
