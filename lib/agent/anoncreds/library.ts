/** AnonCreds' native library, loaded by its first call: a function that handles no AnonCreds message never loads it. */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Anoncreds } from '@hyperledger/anoncreds-shared'
import { AgentError } from '../../errors.ts'
import { log } from '../../log.ts'

const require = createRequire(import.meta.url)

let loaded: Anoncreds | undefined

/** Throws `anoncreds.unavailable`. It is tried anew each time: somebody may bring the library while a local stage runs. */
const load = (): Anoncreds => {
  if (loaded !== undefined) return loaded
  try {
    const { anoncredsNodeJS } = require('@hyperledger/anoncreds-nodejs') as { anoncredsNodeJS: Anoncreds }
    // The binding looks for the library when it calls it first.
    anoncredsNodeJS.version()
    loaded = anoncredsNodeJS
    return loaded
  } catch (cause) {
    log('error', 'the AnonCreds library cannot be loaded: npm run anoncreds', { event: 'anoncreds.not_loaded' })
    throw new AgentError('anoncreds.unavailable', 'the AnonCreds library cannot be loaded', { cause })
  }
}

/** Whether it can be loaded. On AWS it is part of the functions that need it; on this machine it is where `npm run anoncreds` was called. */
export const isAnonCredsAvailable = (): boolean => {
  try {
    load()
    return true
  } catch {
    return false
  }
}

/** A decimal number of 80 bits, as AnonCreds v1.0 has it: all that a proof request needs, in functions without the library too. */
const generateNonce = (): string => BigInt(`0x${randomBytes(10).toString('hex')}`).toString()

/** What Credo is given as the library: its first use loads the real one. Every use throws `anoncreds.unavailable` where that fails. */
export const anoncreds = new Proxy({} as Anoncreds, {
  get: (_, name) => {
    if (name === 'generateNonce') return generateNonce
    // Whoever inspects it, or awaits what holds it, does not call it.
    if (typeof name === 'symbol' || name === 'then') return undefined
    const library = load()
    const value: unknown = Reflect.get(library, name)
    return typeof value === 'function' ? value.bind(library) : value
  },
})

// Set when this module is imported, also where nothing of it is used: package.json therefore lists it in `sideEffects`, so that no bundle leaves it out.
// By `require`: Credo reads the library out of this module's exports, of which an import has a copy.
const { NativeAnoncreds } = require('@hyperledger/anoncreds-shared') as typeof import('@hyperledger/anoncreds-shared')
NativeAnoncreds.register(anoncreds)
