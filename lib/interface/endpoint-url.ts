/** The address of a webhook endpoint: what may be registered. Where the name leads is checked again at each delivery. */
import * as v from 'valibot'
import { refusedUrl } from '../egress/address-guard.ts'
import { settings } from '../settings.ts'
import { text } from './fields.ts'

/** Says what is wrong with an address, or nothing. Pure; `local` is true on the local stage, which also takes http and loopback. */
export const endpointFault = (address: string, local: boolean): string | undefined => {
  const refused = refusedUrl(address, { local, ipLiterals: false })
  return refused === undefined ? undefined : `is refused: ${refused}`
}

export const EndpointUrl = v.pipe(
  text(2048),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const message = endpointFault(dataset.value, settings().LOCAL_STAGE)
    if (message !== undefined) addIssue({ message })
  }),
  v.metadata({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }),
)
