/** The did:webvh that agents publish: the DID's log and its resources, one item each. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { AgentError } from '../errors.ts'
import { defineItem, type Reader, readItem, type Stored } from '../store/item.ts'
import { bytes, flag, integer, text } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

export const logItem = defineItem(
  'webvh-log',
  ({ tenant }: { tenant: string }) => address(`${tenant}|webvh|log`),
  {
    did: text(),
    /** JSON Lines. */
    log: text(),
  },
  { tenant: ({ tenant }) => [`${tenant}|webvh|log`] },
)

interface ResourceKey {
  tenant: string
  /** One segment of a path. */
  name: string
}

const resourcePartition = (tenant: string, name: string): string => `${tenant}|webvh|resource|${name}`

/** The partitions of resources with these ids, which end with their names. */
const partitionsOf = (tenant: string, ids: unknown[]): string[] =>
  ids
    .map((id) => /^did:webvh:.*\/resources\/([^/]+)$/.exec(String(id))?.[1])
    .filter((name) => name !== undefined)
    .map((name) => resourcePartition(tenant, name))

/** Ids of the status lists that the resource of a registry links to. */
const linksIn = (document: string): unknown[] =>
  [Object(JSON.parse(document)).links ?? []].flat().map((link) => Object(link).id)

export const resourceItem = defineItem(
  'webvh-resource',
  ({ tenant, name }: ResourceKey) => address(resourcePartition(tenant, name)),
  {
    /** Deflated JSON: the 5,000 links of a registry are over 1 MB of text, and an item has at most 400 KB. */
    document: bytes(),
    /** Whether links are added, with a new proof. Other resources never change. */
    grows: flag(),
    version: integer(),
  },
  {
    CredentialDefinitionRecord: ({ tenant, value: { schemaId, credentialDefinitionId } }) =>
      partitionsOf(tenant, [schemaId, credentialDefinitionId]),
    'revocation-registry': ({ tenant, value: { registryId } }) => partitionsOf(tenant, [registryId]),
    'webvh-resource': ({ tenant, value: { document } }) =>
      partitionsOf(tenant, linksIn(inflateRawSync(document as Uint8Array).toString())),
  },
)

type PublishedLog = Stored<typeof logItem>

interface PublishedResource {
  /** JSON. */
  document: string
  grows: boolean
}

const notFound = (): AgentError => new AgentError('resource.not_found', 'there is no such document')

/** The log of an agent's DID, in one read. Throws `resource.not_found`. */
export const requireLog = async (tenant: string): Promise<PublishedLog> => {
  const log = await readItem(logItem, { tenant })
  if (log === undefined) throw notFound()
  return log
}

interface StoredResource extends PublishedResource {
  /** The version in the table; absent if there is none yet. */
  stored?: number
}

const readStored = async (key: ResourceKey, reader: Reader): Promise<StoredResource | undefined> => {
  const item = await reader.load(resourceItem, key)
  return item && { document: inflateRawSync(item.document).toString(), grows: item.grows, stored: item.version }
}

/** A resource that an agent serves, in one read. Throws `resource.not_found`. */
export const requireResource = async (tenant: string, name: string): Promise<PublishedResource> => {
  const resource = await readStored({ tenant, name }, { load: readItem })
  if (resource === undefined) throw notFound()
  return resource
}

/** What the running unit of work publishes and has read of its agent's resources. */
const PUBLISHED = Symbol('published under did:webvh')

interface Published {
  log?: PublishedLog
  /** Logs that were read, of any agent. */
  logs: Map<string, Promise<PublishedLog | undefined>>
  /** By name. Each is read once, because a change is based on what was read. */
  resources: Map<string, StoredResource & { changed?: true }>
}

const publishedBy = (unit: UnitOfWork): Published =>
  unit.moduleState(PUBLISHED, () => {
    const published: Published = { logs: new Map(), resources: new Map() }
    unit.beforeCommit(() => write(unit, published))
    return published
  })

/** Writes each item once, even if the unit of work changed it several times. */
const write = (unit: UnitOfWork, { log, resources }: Published): void => {
  const { tenant } = unit
  if (log !== undefined) unit.create(logItem.encode({ tenant, ...log }))
  for (const [name, { document, grows, stored, changed }] of resources) {
    if (changed === undefined) continue
    const version = (stored ?? 0) + 1
    const item = resourceItem.encode({ tenant, name, document: deflateRawSync(document), grows, version })
    if (stored === undefined) unit.create(item)
    else unit.replace(item, stored)
  }
}

/** The log of an agent's DID as the unit of work sees it. */
export const readWebvhLog = async (unit: UnitOfWork, tenant: string): Promise<PublishedLog | undefined> => {
  const { log, logs } = publishedBy(unit)
  if (log !== undefined && tenant === unit.tenant) return log
  const read = logs.get(tenant) ?? unit.load(logItem, { tenant })
  logs.set(tenant, read)
  return read
}

/** A resource as the unit of work sees it. */
export const readWebvhResource = async (
  unit: UnitOfWork,
  tenant: string,
  name: string,
): Promise<PublishedResource | undefined> => {
  if (tenant !== unit.tenant) return readStored({ tenant, name }, unit)
  const { resources } = publishedBy(unit)
  const known = resources.get(name)
  if (known !== undefined) return known
  const read = await readStored({ tenant, name }, unit)
  // A concurrent call in this unit may have read or published it.
  if (read !== undefined && !resources.has(name)) resources.set(name, read)
  return resources.get(name)
}

/** Publishes the log of the agent's only DID. The commit fails if another unit of work was first. */
export const publishLog = (unit: UnitOfWork, log: PublishedLog): void => {
  publishedBy(unit).log = log
}

/** Publishes a resource of the agent. An existing one is equal, because its name is its content's hash. */
export const publishResource = async (unit: UnitOfWork, name: string, resource: PublishedResource): Promise<void> => {
  if ((await readWebvhResource(unit, unit.tenant, name)) === undefined)
    publishedBy(unit).resources.set(name, { ...resource, changed: true })
}

/**
 * Replaces the document of a resource with links. The commit fails if another unit of work has replaced it since it was
 * read. Returns false and changes nothing if there is no such resource.
 */
export const replaceResource = async (unit: UnitOfWork, name: string, document: string): Promise<boolean> => {
  await readWebvhResource(unit, unit.tenant, name)
  const { resources } = publishedBy(unit)
  const resource = resources.get(name)
  if (resource?.grows !== true) return false
  resources.set(name, { ...resource, document, changed: true })
  return true
}

/** A strong validator of what is served. https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3 */
export const etagOf = (document: string): string => `"${digest(document)}"`
