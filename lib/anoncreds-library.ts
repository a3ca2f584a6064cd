/** Whether this deployment has AnonCreds' native library: checked before anything is accepted that needs it later. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AgentError } from './errors.ts'
import { settings } from './settings.ts'

/** The file that the binding looks for. */
const FILE_NAMES: Partial<Record<NodeJS.Platform, string>> = { darwin: 'libanoncreds.dylib', win32: 'anoncreds.dll' }

/** Whether a folder has the library for this machine. */
export const hasLibrary = (folder: string): boolean =>
  existsSync(join(folder, FILE_NAMES[process.platform] ?? 'libanoncreds.so'))

export const anonCredsUnavailable = (cause?: unknown): AgentError =>
  new AgentError(
    'anoncreds.unavailable',
    "AnonCreds' native library is not here: `npm run anoncreds` brings it; on AWS, bring it and deploy again without ANONCREDS=off",
    { cause },
  )

/**
 * Throws `anoncreds.unavailable` unless the deployment has the library. On AWS a function whose job in another function
 * needs it has none in its own zip: there the setting says it.
 */
export const assertAnonCredsDeployed = (): void => {
  const { ANONCREDS, LIB_ANONCREDS_PATH: folder } = settings()
  const isDeployed = folder === undefined ? ANONCREDS === 'on' : hasLibrary(folder)
  if (!isDeployed) throw anonCredsUnavailable()
}
