/**
 * The did:web of an agent that this service hosts: its identifier, and the document that is served for it.
 * https://w3c-ccg.github.io/did-method-web/
 */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { EntityId } from '../records/tenant.ts'
import { defineItem, readItem, type Stored } from '../store/item.ts'
import { text } from '../store/item-fields.ts'
import { address } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { locationOf, tenantOfSegment } from './did.ts'

export const documentItem = defineItem(
  'web-document',
  ({ tenant }: { tenant: string }) => address(`${tenant}|did-web|document`),
  {
    did: text(),
    /** JSON. */
    document: text(),
  },
  { tenant: ({ tenant }) => [`${tenant}|did-web|document`] },
)

type WebDocument = Stored<typeof documentItem>

/** The agent's did:web at this service. */
export const webDidOf = (tenant: string): string => {
  const { domain, path } = locationOf(tenant, 'web')
  return ['did:web', domain, ...path].join(':')
}

/** The document of an agent's did:web, in one read. Throws `resource.not_found`. */
export const requireWebDocument = async (tenant: string): Promise<WebDocument> => {
  const document = await readItem(documentItem, { tenant })
  if (document === undefined) throw new AgentError('resource.not_found', 'there is no such document')
  return document
}

/** Publishes the document in the running unit of work. The commit fails if another unit of work was first. */
export const publishWebDocument = (unit: UnitOfWork, published: WebDocument): void => {
  unit.create(documentItem.encode({ tenant: unit.tenant, ...published }))
}

/** The agent that may host a DID with this path here. */
const possibleTenantOf = (did: string): string | undefined => {
  const segment = did.split(':').at(-1)
  return v.is(EntityId, segment) ? tenantOfSegment(segment) : undefined
}

/** Whether this service serves the document, or would if it existed. */
export const isOurWebDid = (did: string): boolean => {
  const tenant = possibleTenantOf(did)
  return tenant !== undefined && webDidOf(tenant).toLowerCase() === did.toLowerCase()
}

/**
 * The document of a did:web at this service, from the record of its agent, which functions that send messages may read.
 * Only for `isOurWebDid`: a record says nothing about documents on other domains.
 */
export const ourWebDocument = async (unit: UnitOfWork, did: string): Promise<unknown> => {
  const tenant = possibleTenantOf(did)
  if (tenant === undefined) return undefined
  const [record] = await unit.find(tenant, 'DidRecord', { did, role: 'created' })
  return record?.value.didDocument
}
