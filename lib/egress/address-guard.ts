/**
 * The address guard: decides which URLs and addresses the agent may connect to, because third parties choose endpoints.
 */
import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface AddressPolicy {
  /** The local stage: `http` and loopback are allowed too. Nothing else changes. */
  local: boolean
  /** Whether an IP address is allowed as the host. Default true. */
  ipLiterals?: boolean
}

/** Nothing was sent, because the URL or an address of its name is not allowed. */
export class AddressRejectedError extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED'

  constructor(reason: string) {
    super(reason)
    this.name = 'AddressRejectedError'
  }
}

/**
 * The range that IANA has assigned as global unicast; the rest of IPv6 is reserved. Also excludes ranges that ipaddr.js
 * regards as unicast: IPv4-compatible `::/96`, the dummy prefix `100:0:0:1::/64`.
 * https://www.iana.org/assignments/ipv6-address-space
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Azure's platform services respond to every machine in Azure at this address, which looks public.
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const HOST_AGENTS = new Set(['168.63.129.16'])

/**
 * The range for which an address is rejected, or undefined for a public unicast one. IPv6 forms that carry an IPv4
 * address (mapped, translated, NAT64, 6to4, Teredo) are rejected whatever they carry: another network decides where
 * they lead. RFC 6890 and its registries: https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export const forbiddenRange = (address: string, { local }: AddressPolicy): string | undefined => {
  if (isIP(address) === 0) return 'not an address'
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range === 'loopback' && local) return undefined
  if (range !== 'unicast') return range
  if (HOST_AGENTS.has(parsed.toString())) return 'host agent'
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST) ? 'reserved' : undefined
}

/** Names that are never public: special-use names (RFC 6761, 6762, 7686, 8375, 9476), and names of private networks. */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|local|home\.arpa|internal|intranet|private|corp|home|lan|test|invalid|onion|alt)$/

/** The host in its original spelling, in lower case: the URL parser turns `0x7f.1` and `127.0.0.1.` into `127.0.0.1`. */
const originalHost = (url: string): string => /^[a-z]+:\/\/([^/?#:]*)/i.exec(url)?.[1]?.toLowerCase() ?? ''

const invalidHostReason = (url: string, hostname: string, policy: AddressPolicy): string | undefined => {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0) {
    if (policy.ipLiterals === false && forbiddenRange(address, { local: false }) !== 'loopback')
      return 'an IP address instead of a name'
    if (isIP(address) === 4 && originalHost(url) !== hostname) return 'an unusual spelling of an IP address'
    return forbiddenRange(address, policy)
  }
  if (hostname.endsWith('.')) return 'a trailing dot'
  if (policy.local && /(?:^|\.)localhost$/.test(hostname)) return undefined
  return LOCAL_NAME.test(hostname) || !hostname.includes('.') ? 'a local name' : undefined
}

/**
 * Why a URL is rejected for its form, or undefined. The addresses of its name are checked when the connection is made
 * (`guardedLookup`).
 */
export const invalidUrlReason = (url: string, policy: AddressPolicy): string | undefined => {
  // The URL parser drops or rewrites these, so the checked URL would differ from the original.
  if (/[\s\\\p{Cc}]/u.test(url)) return 'white space, control characters or backslashes'
  if (!/^[a-z]+:\/\/[^/?#]/i.test(url) || !URL.canParse(url)) return 'not a URL with a host'
  const { protocol, port, hostname } = new URL(url)
  if (protocol !== 'https:' && !(protocol === 'http:' && policy.local)) return 'not https'
  // Empty ones too: the URL parser drops them.
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(url)) return 'credentials in the URL'
  if (port !== '' && port !== '443' && Number(port) < 1024) return 'a port other than 443 and 1024 to 65535'
  return invalidHostReason(url, hostname, policy)
}

/**
 * A `lookup` for sockets that fails with `AddressRejectedError` unless every address of the name is allowed. The socket
 * connects to the addresses that were checked: there is no second look-up with another result. `resolve` is for tests.
 *
 * request-filtering-agent 3.2.1 works the same way, but relies on ipaddr.js alone for the ranges, allows loopback only
 * with all private ranges or with a warning on the console for each address of the other family, and its rejections
 * cannot be distinguished from other errors.
 */
export const guardedLookup =
  (policy: AddressPolicy, resolve: LookupFunction = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const addresses = Array.isArray(found) ? found : []
      for (const { address } of addresses) {
        const reason = forbiddenRange(address, policy)
        if (reason !== undefined) return callback(new AddressRejectedError(`${hostname} leads to ${reason}`), [])
      }
      const [first] = addresses
      if (first === undefined) return callback(new AddressRejectedError(`${hostname} has no address`), [])
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
