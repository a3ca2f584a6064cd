/** did:webvh identifiers: where the files of a DID and its resources are, and which of them this service hosts. */
import * as v from 'valibot'
import { BASE_AGENT, EntityId } from '../records/tenant.ts'
import { settings } from '../settings.ts'

/** In characters: longer than any real one, and what this service reads of others as identifiers. */
export const MAX_ID = 4096

/** SCID (a multihash of SHA-256 in base58), host with a port in percent-encoding, path. https://identity.foundation/didwebvh/v1.0/#method-specific-identifier */
const DID =
  /^did:webvh:(Qm[1-9A-HJ-NP-Za-km-z]{44}):([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?:%3[Aa]([1-9][0-9]{0,4}))?((?::(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)*)$/

/** The last part of a resource's id is the hash of its content. */
const RESOURCE = /^([^/]+)((?:\/[A-Za-z0-9._~-]{1,128}){0,5})\/([A-Za-z0-9]{1,128})$/

export interface WebvhDid {
  did: string
  scid: string
  /** With the port, as in an address. */
  host: string
  /** Segments, in percent-encoding. */
  path: string[]
}

export interface ResourceId {
  id: string
  issuer: WebvhDid
  /** Between the DID and the name, such as `/resources`. */
  folder: string
  name: string
}

/** What a URL would take for another folder, or a server for another path. */
const isSafeSegment = (segment: string): boolean => {
  try {
    const decoded = decodeURIComponent(segment)
    return decoded !== '.' && decoded !== '..' && !/[/\\?#\0]/.test(decoded)
  } catch {
    return false
  }
}

/** The parts of a did:webvh; undefined for what is none. The method refuses IP addresses as hosts. */
export const parseWebvhDid = (did: string): WebvhDid | undefined => {
  if (did.length > MAX_ID) return undefined
  const [, scid, name, port, rest = ''] = DID.exec(did) ?? []
  if (scid === undefined || name === undefined || /^[0-9.]+$/.test(name)) return undefined
  const path = rest.split(':').slice(1)
  if (!path.every(isSafeSegment)) return undefined
  return { did, scid, host: (port === undefined ? name : `${name}:${port}`).toLowerCase(), path }
}

/** In the place of a hash that is not known yet. */
const ANY_SCID = `Qm${'1'.repeat(44)}`

/** Names of the DNS (RFC 1035, section 2.3): others refuse or rewrite any other host, and such as read like an address. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/

const isName = (host: string): boolean =>
  URL.canParse(`https://${host}`) && HOST_NAME.test(host.replace(/:[0-9]+$/, ''))

/** The DID of a domain, with a path where it has one, before its SCID is known; undefined for what is no domain of a DID. */
export const parseDomain = (domain: string): WebvhDid | undefined => {
  const parsed = parseWebvhDid(`did:webvh:${ANY_SCID}:${domain}`)
  return parsed !== undefined && isName(parsed.host) ? parsed : undefined
}

/** The parts of a resource's id; undefined for what is none. */
export const parseResourceId = (id: string): ResourceId | undefined => {
  if (id.length > MAX_ID) return undefined
  const [, did = '', folder = '', name] = RESOURCE.exec(id) ?? []
  const issuer = parseWebvhDid(did)
  if (issuer === undefined || name === undefined || !folder.split('/').every(isSafeSegment)) return undefined
  return { id, issuer, folder, name }
}

/** Only the local stage is without TLS, on this machine. */
const originOf = ({ host }: WebvhDid): string =>
  `${settings().LOCAL_STAGE && /^localhost(:|$)/.test(host) ? 'http' : 'https'}://${host}`

/** Where a file of a DID is, such as its log. https://identity.foundation/didwebvh/v1.0/#the-did-to-https-transformation */
export const urlOfFile = (did: WebvhDid, file: 'did.jsonl' | 'did-witness.json'): string =>
  [originOf(did), ...(did.path.length === 0 ? ['.well-known'] : did.path), file].join('/')

export const urlOfResource = ({ issuer, folder, name }: ResourceId): string =>
  `${[originOf(issuer), ...issuer.path].join('/')}${folder}/${name}`

/** What follows `/webvh/` in the paths of an agent; the base agent has a name of its own there. */
const BASE_SEGMENT = 'base'

const segmentOf = (tenant: string): string => (tenant === BASE_AGENT ? BASE_SEGMENT : tenant)

/** The agent of a path's segment. */
export const tenantOfSegment = (segment: string): string => (segment === BASE_SEGMENT ? BASE_AGENT : segment)

export interface Location {
  /** As in a DID: a port is percent-encoded. */
  domain: string
  path: string[]
}

/**
 * Where a tenant's DID is: below the service's address, in a folder of its method. IP addresses are no hosts of did:webvh and did:web, so this
 * machine's is `localhost`.
 */
export const locationOf = (tenant: string, folder: 'webvh' | 'web' = 'webvh'): Location => {
  const { hostname, port, pathname } = new URL(settings().PUBLIC_URL)
  const host = hostname === '127.0.0.1' || hostname === '[::1]' ? 'localhost' : hostname
  return {
    domain: port === '' ? host : `${host}%3A${port}`,
    path: [...pathname.split('/').filter((segment) => segment !== ''), folder, segmentOf(tenant)],
  }
}

/** The agent that may host a DID of such a path here: its log says whether it does. */
export const possibleTenantOf = ({ path }: WebvhDid): string | undefined => {
  const [folder, segment] = path.slice(-2)
  return folder === 'webvh' && v.is(EntityId, segment) ? tenantOfSegment(segment) : undefined
}

/** Whether the DID's files are, or would be, served by this service. */
export const isOurLocation = (did: WebvhDid): boolean => {
  const tenant = possibleTenantOf(did)
  if (tenant === undefined) return false
  const ours = locationOf(tenant)
  return did.host === decodeURIComponent(ours.domain) && did.path.join('/') === ours.path.join('/')
}
