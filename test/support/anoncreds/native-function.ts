/** A function that calls AnonCreds' native library, for the test of bundles: as Credo does, and without Credo. */
import { Schema } from '@hyperledger/anoncreds-shared'
import { anoncreds, isAnonCredsAvailable } from '../../../lib/agent/formats/anoncreds/library.ts'
import { isAgentError } from '../../../lib/errors.ts'

const LOADED = /libanoncreds|koffi/

/** Paths of native code that this process has loaded. */
const loadedFiles = (): string[] => {
  const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] }
  return sharedObjects.filter((path) => LOADED.test(path))
}

const createSchema = (): string => {
  const schema = Schema.create({ name: 'degree', version: '1.0', issuerId: 'did:example:a', attributeNames: ['a'] })
  return String(schema.toJson().name)
}

const attempt = (call: () => string): string => {
  try {
    return call()
  } catch (error) {
    return isAgentError(error) ? error.code : String(error)
  }
}

export const nativeFunction = async () => {
  const atStart = loadedFiles()
  const nonce = anoncreds.generateNonce()
  const loadedByNonce = loadedFiles()
  return {
    ...{ atStart, nonce, loadedByNonce, isAvailable: isAnonCredsAvailable() },
    linkSecret: attempt(() => anoncreds.createLinkSecret()),
    schema: attempt(createSchema),
    // Whatever the address is.
    fetched: await fetch('data:,').then(String, String),
  }
}
