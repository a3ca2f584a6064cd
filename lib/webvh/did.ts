/** did:webvh identifiers: the URLs of a DID's files and resources, and whether this service hosts them. */
import * as v from 'valibot'
import { UNSAFE_NAMES } from '../json.ts'
import { BASE_AGENT, EntityId } from '../records/tenant.ts'
import { settings } from '../settings.ts'

/** Maximum length of an identifier in characters. */
export const MAX_ID = 4096

/**
 * Rules for logs and resources. These names would be left out of what is hashed and signed, but still be read
 * afterwards.
 */
export const SIGNED_JSON_RULES = { maxDepth: 16, forbidden: UNSAFE_NAMES }

/**
 * SCID (a multihash of SHA-256 in base58), host with a port in percent-encoding, path.
 * https://identity.foundation/didwebvh/v1.0/#method-specific-identifier
 */
const DID =
  /^did:webvh:(Qm[1-9A-HJ-NP-Za-km-z]{44}):([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?:%3[Aa]([1-9][0-9]{0,4}))?((?::(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)*)$/

/** The last part of a resource's id is the hash of its content. */
const RESOURCE = /^([^/]+)((?:\/[A-Za-z0-9._~-]{1,128}){0,5})\/([A-Za-z0-9]{1,128})$/

export interface WebvhDid {
  did: string
  scid: string
  /** With the port, as in a URL. */
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

/** Rejects segments that a URL parser or server would treat as another path. */
const isSafeSegment = (segment: string): boolean => {
  try {
    const decoded = decodeURIComponent(segment)
    return decoded !== '.' && decoded !== '..' && !/[/\\?#\0]/.test(decoded)
  } catch {
    return false
  }
}

/** Parses a did:webvh; undefined if malformed. The method allows no IP addresses as hosts. */
export const parseWebvhDid = (did: string): WebvhDid | undefined => {
  if (did.length > MAX_ID) return undefined
  const [, scid, name, port, rest = ''] = DID.exec(did) ?? []
  if (scid === undefined || name === undefined || /^[0-9.]+$/.test(name)) return undefined
  const path = rest.split(':').slice(1)
  if (!path.every(isSafeSegment)) return undefined
  return { did, scid, host: (port === undefined ? name : `${name}:${port}`).toLowerCase(), path }
}

/** Placeholder for an unknown hash. */
const ANY_SCID = `Qm${'1'.repeat(44)}`

/**
 * DNS names (RFC 1035, section 2.3): other implementations reject or rewrite any other host, and names that look like
 * an address.
 */
const HOST_NAME =
  /^(?=.{1,253}$)(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/

const isName = (host: string): boolean =>
  URL.canParse(`https://${host}`) && HOST_NAME.test(host.replace(/:[0-9]+$/, ''))

/** Parses a domain with an optional path, as a DID whose SCID is unknown; undefined if a DID can't have it. */
export const parseDomain = (domain: string): WebvhDid | undefined => {
  const parsed = parseWebvhDid(`did:webvh:${ANY_SCID}:${domain}`)
  return parsed !== undefined && isName(parsed.host) ? parsed : undefined
}

/** Parses a resource's id; undefined if malformed. */
export const parseResourceId = (id: string): ResourceId | undefined => {
  if (id.length > MAX_ID) return undefined
  const [, did = '', folder = '', name] = RESOURCE.exec(id) ?? []
  const issuer = parseWebvhDid(did)
  if (issuer === undefined || name === undefined || !folder.split('/').every(isSafeSegment)) return undefined
  return { id, issuer, folder, name }
}

/** Only the local stage has no TLS, on this machine. */
const originOf = ({ host }: WebvhDid): string =>
  `${settings().LOCAL_STAGE && /^localhost(:|$)/.test(host) ? 'http' : 'https'}://${host}`

/** URL of a DID's file, such as its log. https://identity.foundation/didwebvh/v1.0/#the-did-to-https-transformation */
export const urlOfFile = (did: WebvhDid, file: 'did.jsonl' | 'did-witness.json'): string =>
  [originOf(did), ...(did.path.length === 0 ? ['.well-known'] : did.path), file].join('/')

export const urlOfResource = ({ issuer, folder, name }: ResourceId): string =>
  `${[originOf(issuer), ...issuer.path].join('/')}${folder}/${name}`

/** Path segment of the base agent after `/webvh/`; tenants have their id there. */
const BASE_SEGMENT = 'base'

const segmentOf = (tenant: string): string => (tenant === BASE_AGENT ? BASE_SEGMENT : tenant)

/** The agent of a path's segment. */
export const tenantOfSegment = (segment: string): string => (segment === BASE_SEGMENT ? BASE_AGENT : segment)

export interface Location {
  /** In the form of a DID: the port is percent-encoded. */
  domain: string
  path: string[]
}

/**
 * Location of a tenant's DID: below the service's URL, in a folder for the method. did:webvh and did:web allow no IP
 * addresses, so this machine is `localhost`.
 */
export const locationOf = (tenant: string, folder: 'webvh' | 'web' = 'webvh'): Location => {
  const { hostname, port, pathname } = new URL(settings().PUBLIC_URL)
  const host = hostname === '127.0.0.1' || hostname === '[::1]' ? 'localhost' : hostname
  return {
    domain: port === '' ? host : `${host}%3A${port}`,
    path: [...pathname.split('/').filter((segment) => segment !== ''), folder, segmentOf(tenant)],
  }
}

/** The agent that may host a DID with this path here. Its log decides. */
export const possibleTenantOf = ({ path }: WebvhDid): string | undefined => {
  const [folder, segment] = path.slice(-2)
  return folder === 'webvh' && v.is(EntityId, segment) ? tenantOfSegment(segment) : undefined
}

/** Whether this service serves the DID's files, or would if they existed. */
export const isOurLocation = (did: WebvhDid): boolean => {
  const tenant = possibleTenantOf(did)
  if (tenant === undefined) return false
  const ours = locationOf(tenant)
  return did.host === decodeURIComponent(ours.domain) && did.path.join('/') === ours.path.join('/')
}
