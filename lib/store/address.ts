/** Where an item lies in the table. A part that starts with `@` is never a tenant's: ids have no `@` in them. */
import { createHash } from 'node:crypto'

export interface Address {
  pk: string
  sk: string
}

/** Sort key of items that are alone in their partition. */
const ALONE = '-'

/** Values of any length in keys: SHA-256 in base64url. A did:peer:4 is over 1 KB, a key at most 2 KB. */
export const digest = (value: string): string => createHash('sha256').update(value).digest('base64url')

export const recordAddress = (tenant: string, type: string, id: string): Address => ({
  pk: `${tenant}|${type}|${id}`,
  sk: ALONE,
})

/** The index entries of one tag value. */
export const entryPartition = (tenant: string, type: string, tag: string, value: string): string =>
  `${tenant}|${type}|${tag}|${digest(value)}`

export const keyAddress = (tenant: string, keyId: string): Address => ({ pk: `${tenant}|key|${keyId}`, sk: ALONE })

/** A sealed data key, which seals what belongs to `scope`. */
export const dataKeyAddress = (scope: string): Address => ({ pk: `${scope}|data-key`, sk: ALONE })

/** The mark of an inbound envelope; `envelope` is its ciphertext and tag. */
export const envelopeMarkAddress = (tenant: string, envelope: string): Address => ({
  pk: `${tenant}|inbound|${digest(envelope)}`,
  sk: ALONE,
})

/** The mark of an inbound message: the same message in a new envelope has the same sender key and `@id`. */
export const messageMarkAddress = (tenant: string, sender: string, messageId: string): Address => ({
  pk: `${tenant}|message|${digest(`${sender} ${messageId}`)}`,
  sk: ALONE,
})

/** An `Idempotency-Key` is its caller's own; a key has no space in it. */
export const idempotencyAddress = (tenant: string, subject: string, key: string): Address => ({
  pk: `${tenant}|idempotency|${digest(`${subject} ${key}`)}`,
  sk: ALONE,
})

export const tenantAddress = (tenant: string): Address => ({ pk: `@tenant|${tenant}`, sk: ALONE })

/** The tenants of an organization, by their ids. */
export const organizationTenants = (orgId: string): string => `@org|${orgId}|tenants`

/** All registrations of an organization. */
export const organizationPartition = (orgId: string): string => `@org|${orgId}`

/** A JSON-LD context that a verifier trusts, by the digest of its text. */
export const contextAddress = (context: { scope: string; digest: string }): Address => ({
  pk: `${context.scope}|context|${context.digest}`,
  sk: ALONE,
})

/** The DID that an agent issues with. */
export const issuerDidAddress = (tenant: string): Address => ({ pk: `${tenant}|issuer-did`, sk: ALONE })
