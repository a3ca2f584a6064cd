/** Check that AnonCreds' native library, which is packed with the functions that call it, was downloaded. */
import { libraryFor } from '../../anoncreds/library-file.ts'
import { type Finding, findingsOf } from '../finding.ts'

export interface AnonCredsPlan {
  /** Processor of the functions. */
  architecture: string
  /** Whether the library for it was downloaded. */
  hasLibrary: boolean
}

export const anonCredsPlan = (architecture: string): AnonCredsPlan => ({
  architecture,
  hasLibrary: libraryFor(architecture) !== undefined,
})

/**
 * Without the library a deployment would reject requests that the last one accepted, so this must be explicit
 * (`ANONCREDS=off`).
 */
export const checkAnonCreds = (
  { architecture, hasLibrary }: AnonCredsPlan,
  { ANONCREDS }: NodeJS.ProcessEnv,
): Finding[] => {
  const { ok, fault } = findingsOf('anoncreds')
  if (ANONCREDS === 'off') return ok('off')
  if (hasLibrary) return ok(`its library for ${architecture} is installed`)
  const remedy = `npm run anoncreds -- --arch ${architecture} installs it, ANONCREDS=off deploys without it`
  return fault(`its library for ${architecture} is missing: ${remedy}`)
}
