/** Files for browsers: an esbuild plugin, and the files in the zip beside the code. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Metafile, Plugin } from 'esbuild'
import { PLACES } from '../../lib/pages/browser-file-places.ts'
import { modulesAt } from './own-modules.ts'

const MODULE = modulesAt('lib/pages/browser-file-places.ts')

/** In a zip the files are beside the bundle. */
export const browserFilePlaces: Plugin = {
  name: 'browser-file-places',
  setup(build) {
    build.onLoad({ filter: MODULE }, () => ({
      contents: `export const PLACES = Object.fromEntries(${JSON.stringify(Object.keys(PLACES))}.map((name) => [name, new URL(name, import.meta.url).href]))`,
      loader: 'js',
    }))
  },
}

/** The files by their names in the zip; none if the bundle serves none. */
export const browserFiles = async ({ inputs }: Metafile): Promise<Record<string, Uint8Array>> => {
  if (!Object.keys(inputs).some((path) => MODULE.test(`/${path}`))) return {}
  const read = Object.entries(PLACES).map(
    async ([name, place]) => [name, await readFile(fileURLToPath(place))] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}
