/** Checks that this deployment has AnonCreds' native library, before a request is accepted that needs it later. */
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
    "AnonCreds' native library is missing: `npm run anoncreds` installs it; on AWS, install it and deploy again without ANONCREDS=off",
    { cause },
  )

/**
 * Throws `anoncreds.unavailable` unless the deployment has the library. On AWS a function that leaves the work to a job
 * has no library in its own zip: a setting says whether the job's function has.
 */
export const assertAnonCredsDeployed = (): void => {
  const { ANONCREDS, LIB_ANONCREDS_PATH: folder } = settings()
  const isDeployed = folder === undefined ? ANONCREDS === 'on' : hasLibrary(folder)
  if (!isDeployed) throw anonCredsUnavailable()
}
