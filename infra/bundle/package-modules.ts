/**
 * Packages and their modules that a bundle treats specially, by their installed paths. An entry that matches nothing
 * throws: after an update of the package the module would be bundled unchanged.
 */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../', import.meta.url)

interface Lock {
  packages: Record<string, { dev?: boolean; dependencies?: Record<string, string> }>
}

const { packages }: Lock = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8'))

/** Names of all installed packages. */
const DEPENDENCIES = new Set(
  Object.values(packages).flatMap(({ dev, dependencies = {} }) => (dev === true ? [] : Object.keys(dependencies))),
)

const unmatched = (entry: string): Error => new Error(`bundles treat ${entry} specially, and nothing matches it`)

/** Whether it is a package's name, a scope, or a part of a package. */
const isImported = (entry: string): boolean =>
  [...DEPENDENCIES].some((name) => name === entry || `${entry}/`.startsWith(`${name}/`) || isScopeOf(entry, name))

const isScopeOf = (entry: string, name: string): boolean => /^@[^/]+\/$/.test(entry) && name.startsWith(entry)

/**
 * A filter for imports: of a package (`zod`), of a part of it (`rxjs/operators`), of a package and all its parts
 * (`@animo-id/pex/`), or of all packages of a scope (`@sd-jwt/`).
 */
export const importsOf = (...entries: string[]): RegExp => {
  for (const entry of entries) if (!isImported(entry)) throw unmatched(entry)
  return new RegExp(`^(${entries.map((entry) => entry.replace(/\/$/, '(/.*)?')).join('|')})$`)
}

/** A filter for files below `node_modules`: one, or with `/` at the end a folder; `**` is for any folders between. */
export const packageModules = (...entries: string[]): RegExp => {
  const cwd = fileURLToPath(new URL('node_modules/', ROOT))
  for (const entry of entries) if (globSync(entry, { cwd }).length === 0) throw unmatched(entry)
  const patterns = entries.map((entry) => {
    const pattern = entry.replaceAll('.', '\\.').replaceAll('**/', '(?:.*/)?').replaceAll('/', '[\\\\/]')
    return entry.endsWith('/') ? pattern : `${pattern}$`
  })
  return new RegExp(`[\\\\/]node_modules[\\\\/](${patterns.join('|')})`)
}
