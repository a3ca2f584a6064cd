/** The address of a webhook endpoint: what may be registered. Where the name leads is checked again at each delivery. */
import * as v from 'valibot'
import { settings } from '../settings.ts'
import { text } from './fields.ts'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
const IP_LITERAL = /^(\[.*\]|\d+\.\d+\.\d+\.\d+)$/

/** Names that lead into one's own house: special-use domain names (RFC 6761, 6762, 8375, 9476 and ICANN's `internal`). */
const LOCAL_NAME =
  /^([^.]+|.*\.(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|onion|alt))$/

/** Says what is wrong with an address, or nothing. Pure; `local` is true on the local stage, which also takes http and loopback. */
export const endpointFault = (address: string, local: boolean): string | undefined => {
  // URL drops tabs and line ends without a word: what is registered is what is called.
  const url = /[\p{Cc}\s\\]/u.test(address) ? null : URL.parse(address)
  if (url === null) return 'must be a URL'
  if (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) return 'must be an https URL'
  // Empty credentials leave no trace in the parsed URL.
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(address) || url.username !== '') return 'must hold no credentials'
  const host = url.hostname.replace(/\.$/, '').toLowerCase()
  if (local && LOOPBACK.test(host)) return undefined
  if (IP_LITERAL.test(host)) return 'must have a host name, not an IP address'
  if (LOCAL_NAME.test(host)) return 'must have a public host name'
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)
  const allowed = port === 443 || port >= 1024 || (local && port === 80)
  return allowed ? undefined : 'must use port 443 or 1024 to 65535'
}

export const EndpointUrl = v.pipe(
  text(2048),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const message = endpointFault(dataset.value, settings().LOCAL_STAGE)
    if (message !== undefined) addIssue({ message })
  }),
)
