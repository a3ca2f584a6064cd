/** `npm start`: the service on this machine. Runs `serverless local` in this process, with the stage named local. */
import { createRequire } from 'node:module'
import { cacheCompiled } from './compile-cache.ts'

cacheCompiled()
// Hides the CLI's own messages, but not its errors.
process.env.SLS_LOG_LEVEL ??= 'error'
process.argv = [process.execPath, 'serverless', 'local', '--stage', 'local']
createRequire(import.meta.url)('serverless/bin/serverless.js')
