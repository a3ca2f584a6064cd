/** Finds the offer of a page's address, and its state. */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import type { OfferState } from '../interface/openid4vci-page.ts'
import { isObject, type JsonObject } from '../json.ts'
import { isIssuing, readIssuer } from '../openid4vci/issuers.ts'
import { offerLinkOf } from '../openid4vci/offer-link.ts'
import { isOffered } from '../openid4vci/session.ts'
import { issuanceSessionRecords } from '../records/openid-kinds.ts'
import { type IssuanceState, StoredIssuanceSession, type StoredIssuer } from '../records/openid4vci.ts'
import { offerUriOf } from '../records/shown-issuance.ts'
import { requireRecord } from '../store/record-reads.ts'
import type { ShownOffer } from './offer-page.ts'

const STATES: Record<IssuanceState, OfferState> = {
  OfferCreated: 'open',
  OfferUriRetrieved: 'open',
  AccessTokenCreated: 'taken',
  CredentialsPartiallyIssued: 'taken',
  Completed: 'issued',
  Error: 'ended',
}

/** The first entry with a name, which wallets show as well. */
const displayOf = (display: readonly JsonObject[] = []): JsonObject =>
  display.find(({ name }) => typeof name === 'string') ?? {}

const shownOfferOf = (session: StoredIssuanceSession, issuer: StoredIssuer): ShownOffer => {
  const { name, logo } = displayOf(issuer.display)
  const { credentialConfigurationsSupported: configurations } = issuer
  return {
    state: STATES[session.state],
    link: offerLinkOf('credential_offer_uri', offerUriOf(issuer.issuerId, session.id)),
    issuer: name,
    logo: isObject(logo) ? logo.uri : undefined,
    credentials: session.credentials.map(({ credentialConfigurationId: id, vct }) => {
      const configuration = Object.hasOwn(configurations, id) ? configurations[id] : undefined
      return { name: displayOf(configuration?.credential_metadata?.display).name, vct }
    }),
    hasPin: session.pin !== undefined,
  }
}

/** The offer of a tenant's issuer. An unknown or expired offer, and another issuer's, are the same `resource.not_found`. */
export const requireOffer = async (
  tenant: string,
  { issuerId, issuanceSessionId }: { issuerId: string; issuanceSessionId: string },
): Promise<ShownOffer> => {
  // In parallel, so that the response time reveals nothing either.
  const [{ value }, issuer] = await Promise.all([
    requireRecord(tenant, issuanceSessionRecords.type, issuanceSessionId),
    readIssuer(tenant, issuerId),
  ])
  const session = v.parse(StoredIssuanceSession, value)
  const isThere = STATES[session.state] !== 'open' || (isIssuing(issuer) && isOffered(session, issuerId))
  // The same message as for an unknown record.
  if (session.issuerId !== issuerId || !isThere) throw new AgentError('resource.not_found', 'there is no such record')
  return shownOfferOf(session, issuer)
}
