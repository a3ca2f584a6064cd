/** An issuance session as the API and events show it. Every function that writes has it, so it imports no schema. */
import { settings } from '../settings.ts'

const HIDDEN = ['pin', 'txCode', 'tokenHash', 'credentialIdentifiers', 'requests', 'notificationIds']

/** Where wallets read the offer. */
export const offerUriOf = (issuerId: unknown, sessionId: unknown): string =>
  `${settings().PUBLIC_URL}/oid4vci/${issuerId}/offers/${sessionId}`

const shownOffered = ({ certificateId: _, statusListDetails: __, ...offered }: Record<string, unknown>) => offered

/** Without the PIN, and without any material of codes or tokens. */
export const shownIssuance = (value: Record<string, unknown>): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(value).filter(([name]) => !HIDDEN.includes(name))),
  credentials: Array.isArray(value.credentials) ? value.credentials.map(shownOffered) : [],
  credentialOfferUri: offerUriOf(value.issuerId, value.id),
})
