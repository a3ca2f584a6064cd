/** Modules of the service that a bundle treats specially, by path. */
import { existsSync } from 'node:fs'

const ROOT = new URL('../../', import.meta.url)

/**
 * A filter for modules of the service: files, or folders (`lib/webvh/`). Paths are relative to the repository. Throws
 * if one of them does not exist, because it would match nothing.
 */
export const modulesAt = (...paths: string[]): RegExp => {
  for (const path of paths)
    if (!existsSync(new URL(path, ROOT))) throw new Error(`bundles treat ${path} specially, and it does not exist`)
  const patterns = paths.map((path) => {
    const pattern = path.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]')
    return path.endsWith('/') ? pattern : `${pattern}$`
  })
  return new RegExp(`[\\\\/](${patterns.join('|')})`)
}
