/** AnonCreds' native library, loaded by the first call: functions that handle no AnonCreds message never load it. */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Anoncreds } from '@hyperledger/anoncreds-shared'
import { anonCredsUnavailable } from '../../../anoncreds-library.ts'
import { isAgentError } from '../../../errors.ts'
import { log } from '../../../log.ts'

const require = createRequire(import.meta.url)

let loaded: Anoncreds | undefined

/**
 * Throws `anoncreds.unavailable`. Every call tries again, because the library may be installed while a local stage
 * runs.
 */
const load = (): Anoncreds => {
  if (loaded !== undefined) return loaded
  try {
    const { anoncredsNodeJS } = require('@hyperledger/anoncreds-nodejs') as { anoncredsNodeJS: Anoncreds }
    // The binding loads the library at its first call.
    anoncredsNodeJS.version()
    loaded = anoncredsNodeJS
    return loaded
  } catch (cause) {
    log('warn', 'the AnonCreds library cannot be loaded: npm run anoncreds', { event: 'anoncreds.not_loaded' })
    throw anonCredsUnavailable(cause)
  }
}

/**
 * Throws `anoncreds.unavailable` if the library cannot be loaded. Called before Credo changes anything, because Credo
 * would replace the error by one of its own.
 */
export const assertAnonCredsLoads = (): void => void load()

/**
 * Runs `act`. If it fails and the library cannot be loaded, throws `anoncreds.unavailable` instead of Credo's error.
 */
export const withLibrary = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!isAgentError(error)) load()
    throw error
  }
}

/**
 * Whether the library can be loaded. On AWS it is in the zips of the functions that need it; locally `npm run
 * anoncreds` installs it. /
 */
export const isAnonCredsAvailable = (): boolean => {
  try {
    load()
    return true
  } catch {
    return false
  }
}

/** A decimal number of 80 bits (AnonCreds v1.0), so that proof requests can be created without the library. */
const generateNonce = (): string => BigInt(`0x${randomBytes(10).toString('hex')}`).toString()

/**
 * Credo's reference to the library, which is loaded by the first use. Every use throws `anoncreds.unavailable` if that
 * fails.
 */
export const anoncreds = new Proxy({} as Anoncreds, {
  get: (_, name) => {
    if (name === 'generateNonce') return generateNonce
    // Read when the object is inspected or awaited.
    if (typeof name === 'symbol' || name === 'then') return undefined
    const library = load()
    const value: unknown = Reflect.get(library, name)
    return typeof value === 'function' ? value.bind(library) : value
  },
})

// Registered on import, even if nothing of this module is used: package.json lists it in `sideEffects`, so that no
// bundle drops it. `require`, because Credo reads the library from the module's exports, which an import would copy.
const { NativeAnoncreds } = require('@hyperledger/anoncreds-shared') as typeof import('@hyperledger/anoncreds-shared')
NativeAnoncreds.register(anoncreds)
