/** `npm start`: the service on this machine. Runs `serverless offline start` in this process. */
import { createRequire } from 'node:module'
import { cacheCompiled } from './compile-cache.ts'
import { orEnd } from './ending.ts'

cacheCompiled()
// Only their user may read the files of the stage and its database.
process.umask(0o077)

/** The CLI takes a second or more to load: invalid settings, or a folder in use, are reported before. */
const checkSettings = async (): Promise<void> => {
  const { localSettings } = await import('./settings.ts')
  const { dataDir } = localSettings(process.env)
  if (dataDir === undefined) return
  const { lockDataFolder } = await import('./data-folder.ts')
  // The stage locks it for as long as it runs.
  ;(await lockDataFolder(dataDir))[Symbol.dispose]()
}
await orEnd(checkSettings())

// Hides the CLI's own messages, but not its errors.
process.env.SLS_LOG_LEVEL ??= 'error'
process.argv = [process.execPath, 'serverless', 'offline', 'start', '--stage', 'local', ...process.argv.slice(2)]
createRequire(import.meta.url)('serverless/bin/serverless.js')
