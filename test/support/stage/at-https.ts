/** Wallets of tests reach a stage at http on this machine, and a verifier of OpenID4VP needs a public URL at https. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { settings } from '../../../lib/settings.ts'

export const HTTPS_URL = 'https://agent.example'

const address = new AsyncLocalStorage<string>()

/** Runs what a stage in this process does as if its public URL were HTTPS_URL; concurrent work keeps its own. */
export const atHttps = <T>(act: () => Promise<T>): Promise<T> => {
  const known = settings()
  if (Object.getOwnPropertyDescriptor(known, 'PUBLIC_URL')?.get === undefined) {
    const { PUBLIC_URL } = known
    Object.defineProperty(known, 'PUBLIC_URL', { get: () => address.getStore() ?? PUBLIC_URL })
  }
  return address.run(HTTPS_URL, act)
}
