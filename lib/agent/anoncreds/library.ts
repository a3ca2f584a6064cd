/** AnonCreds' native library, loaded by its first call: a function that handles no AnonCreds message never loads it. */
import { createRequire } from 'node:module'
import type { Anoncreds } from '@hyperledger/anoncreds-shared'

const require = createRequire(import.meta.url)

let loaded: Anoncreds | undefined

const load = (): Anoncreds => {
  loaded ??= (require('@hyperledger/anoncreds-nodejs') as { anoncredsNodeJS: Anoncreds }).anoncredsNodeJS
  return loaded
}

/** What Credo is given as the library: its first use loads the real one. */
export const anoncreds = new Proxy({} as Anoncreds, {
  get: (_, name) => {
    const library = load()
    const value: unknown = Reflect.get(library, name)
    return typeof value === 'function' ? value.bind(library) : value
  },
})

// By `require`: Credo reads the library out of this module's exports, of which an import has a copy.
const { NativeAnoncreds } = require('@hyperledger/anoncreds-shared') as typeof import('@hyperledger/anoncreds-shared')
NativeAnoncreds.register(anoncreds)
