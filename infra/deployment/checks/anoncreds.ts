/** Check of AnonCreds' native library, which is packed with the functions that call it. */
import { libraryFor } from '../../anoncreds/library-file.ts'
import { type Finding, fault, ok } from '../finding.ts'

export interface AnonCredsPlan {
  /** Of the functions' processors. */
  architecture: string
  /** Whether the library for it is here. */
  hasLibrary: boolean
}

export const anonCredsPlan = (architecture: string): AnonCredsPlan => ({
  architecture,
  hasLibrary: libraryFor(architecture) !== undefined,
})

/** A deployment that forgot the library would refuse what the last one took, so it has to say that it does without. */
export const checkAnonCreds = (
  { architecture, hasLibrary }: AnonCredsPlan,
  { ANONCREDS }: NodeJS.ProcessEnv,
): Finding[] => {
  if (ANONCREDS === 'off') return [ok('anoncreds', 'off')]
  if (hasLibrary) return [ok('anoncreds', `its library for ${architecture} is here`)]
  const remedy = `npm run anoncreds -- --arch ${architecture} brings it, ANONCREDS=off does without`
  return [fault('anoncreds', `its library for ${architecture} is not here: ${remedy}`)]
}
