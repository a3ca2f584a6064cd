/** What agents serve under their did:webvh: the log of the DID and its resources, one item each. */
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { AgentError } from '../errors.ts'
import { webvhLogAddress, webvhResourceAddress } from '../store/anoncreds-keys.ts'
import { defineItem, type Readable, readItem } from '../store/item.ts'
import { bytes, flag, integer, text } from '../store/item-fields.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const logItem = defineItem('webvh-log', ({ tenant }: { tenant: string }) => webvhLogAddress(tenant), {
  did: text(),
  /** JSON Lines. */
  log: text(),
})

interface ResourceKey {
  tenant: string
  name: string
}

const resourceItem = defineItem(
  'webvh-resource',
  ({ tenant, name }: ResourceKey) => webvhResourceAddress(tenant, name),
  {
    /** JSON, deflated: a registry's 5,000 links are over 1 MB of text, and an item holds 400 KB. */
    document: bytes(),
    /** It gets links and a new proof. Any other is the same for ever. */
    grows: flag(),
    version: integer(),
  },
)

export interface PublishedLog {
  did: string
  log: string
}

export interface PublishedResource {
  /** JSON. */
  document: string
  grows: boolean
}

/** What reads items: the table, or a unit of work, which keeps a failure. */
interface Reader {
  load<Key, T>(definition: Readable<Key, T>, key: Key): Promise<T | undefined>
}

const notFound = (): AgentError => new AgentError('resource.not_found', 'there is no such document')

/** The log of an agent's DID, in one read. Throws `resource.not_found`. */
export const requireLog = async (tenant: string): Promise<PublishedLog> => {
  const log = await readItem(logItem, { tenant })
  if (log === undefined) throw notFound()
  return log
}

interface Held extends PublishedResource {
  /** The version that is in the table; absent: none is there yet. */
  stored?: number
}

const readHeld = async (key: ResourceKey, reader: Reader): Promise<Held | undefined> => {
  const item = await reader.load(resourceItem, key)
  return item && { document: inflateRawSync(item.document).toString(), grows: item.grows, stored: item.version }
}

/** A resource that an agent serves, in one read. Throws `resource.not_found`. */
export const requireResource = async (tenant: string, name: string): Promise<PublishedResource> => {
  const held = await readHeld({ tenant, name }, { load: readItem })
  if (held === undefined) throw notFound()
  return held
}

/** What the running unit of work publishes, which nobody can read from the table yet, and what it has read of its agent's. */
const PUBLISHED = Symbol('published under did:webvh')

interface Published {
  log?: PublishedLog
  /** Of whatever agent, as they were read. */
  logs: Map<string, Promise<PublishedLog | undefined>>
  /** By name. What was read is read once: a change builds on what was looked at before. */
  resources: Map<string, Held & { changed?: true }>
}

const publishedBy = (unit: UnitOfWork): Published =>
  unit.slot(PUBLISHED, () => {
    const published: Published = { logs: new Map(), resources: new Map() }
    unit.beforeCommit(() => write(unit, published))
    return published
  })

/** Each item once, however often the unit of work has changed it. */
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
export const logIn = async (unit: UnitOfWork, tenant: string): Promise<PublishedLog | undefined> => {
  const { log, logs } = publishedBy(unit)
  if (log !== undefined && tenant === unit.tenant) return log
  const read = logs.get(tenant) ?? unit.load(logItem, { tenant })
  logs.set(tenant, read)
  return read
}

/** A resource as the unit of work sees it. */
export const resourceIn = async (
  unit: UnitOfWork,
  tenant: string,
  name: string,
): Promise<PublishedResource | undefined> => {
  if (tenant !== unit.tenant) return readHeld({ tenant, name }, unit)
  const { resources } = publishedBy(unit)
  const known = resources.get(name)
  if (known !== undefined) return known
  const read = await readHeld({ tenant, name }, unit)
  // Somebody else in this unit may have read or published it meanwhile.
  if (read !== undefined && !resources.has(name)) resources.set(name, read)
  return resources.get(name)
}

/** Publishes the log of the agent's only DID. The commit fails where another unit of work was first. */
export const publishLog = (unit: UnitOfWork, log: PublishedLog): void => {
  publishedBy(unit).log = log
}

/** Publishes a resource of the agent. One that is there already is the same, since its name is its content's hash. */
export const publishResource = async (unit: UnitOfWork, name: string, resource: PublishedResource): Promise<void> => {
  if ((await resourceIn(unit, unit.tenant, name)) === undefined)
    publishedBy(unit).resources.set(name, { ...resource, changed: true })
}

/**
 * Replaces the document of a resource that grows. The commit fails where another unit of work has replaced what this one has read of it.
 * Returns false, and changes nothing, where there is no such resource.
 */
export const replaceResource = async (unit: UnitOfWork, name: string, document: string): Promise<boolean> => {
  await resourceIn(unit, unit.tenant, name)
  const { resources } = publishedBy(unit)
  const held = resources.get(name)
  if (held?.grows !== true) return false
  resources.set(name, { ...held, document, changed: true })
  return true
}

/** A strong validator of what is served. https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3 */
export const etagOf = (document: string): string => `"${createHash('sha256').update(document).digest('base64url')}"`
