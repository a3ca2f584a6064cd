/** Which modules of the service a function loads. */
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Imports of types are not there when the function runs. */
const IMPORT =
  /(?:^|\n)(?:import|export)\s(?!type\s)[^'"]*?from\s+'(\.[^']+\.ts)'|import\('(\.[^']+\.ts)'\)|(?:^|\n)import '(\.[^']+\.ts)'/g

/** Paths from the service's folder, that of the module itself among them. */
export const modulesOf = (path: string, found = new Set<string>()): Set<string> => {
  if (found.has(path)) return found
  found.add(path)
  for (const [, from, dynamic, bare] of readFileSync(path, 'utf8').matchAll(IMPORT))
    modulesOf(normalize(join(dirname(path), from ?? dynamic ?? bare ?? '')), found)
  return found
}
