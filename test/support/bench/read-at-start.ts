/** The files of a bundle that Node reads before its handler is loaded. */
import type { Bundle } from '../../../infra/bundle/bundle.ts'

/** index.mjs, the files that it imports, and those import, and so on. */
export const filesAtStart = ({ files, metafile }: Pick<Bundle, 'files' | 'metafile'>): Bundle['files'] => {
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const importsOf = new Map(Object.entries(metafile.outputs).map(([path, { imports }]) => [nameOf(path), imports]))
  const reached = new Set<string>()
  const reach = (name: string): void => {
    if (reached.has(name)) return
    reached.add(name)
    for (const { path, kind } of importsOf.get(name) ?? []) if (kind === 'import-statement') reach(nameOf(path))
  }
  reach('index.mjs')
  return Object.fromEntries(Object.entries(files).filter(([name]) => reached.has(name)))
}
