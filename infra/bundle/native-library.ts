/** esbuild plugins for AnonCreds' native library, and the files in the zips of its functions. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { LIBRARY_NAME } from '../anoncreds/library-file.ts'
import { modulesAt } from './own-modules.ts'
import { importsOf } from './package-modules.ts'

const KOFFI = 'koffi.node'

/**
 * Lines of the module that loads the binding. They define Node's `require`, which the bundler does not follow; without
 * them it uses the bundler's.
 */
const OWN_REQUIRE = [
  "import { createRequire } from 'node:module'\n",
  'const require = createRequire(import.meta.url)\n',
]

/**
 * The binding is found by the bundler, and koffi's binary beside the bundle: its own way to it goes through 18
 * platforms and `eval`. Without its wrapper koffi lacks what is deprecated. `atOnce` is the bundle's `require`.
 */
export const nativeLibrary: Plugin = {
  name: 'native-library',
  setup(build) {
    build.onLoad({ filter: modulesAt('lib/agent/formats/anoncreds/library.ts') }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      for (const line of OWN_REQUIRE) {
        if (!contents.includes(line)) throw new Error(`${path} has no line ${line}`)
        contents = contents.replace(line, '\n')
      }
      return { contents, loader: 'ts' }
    })
    build.onResolve({ filter: importsOf('koffi') }, ({ path }) => ({ path, namespace: 'koffi' }))
    build.onLoad({ filter: /^/, namespace: 'koffi' }, () => ({
      contents: `module.exports = atOnce(${JSON.stringify(`./${KOFFI}`)})`,
      loader: 'js',
    }))
  },
}

/** Further files in the zip of a function on `architecture`: the library, and koffi's binary for it. */
export const nativeFiles = async (architecture: string, library: Uint8Array): Promise<Record<string, Uint8Array>> => {
  const koffi = import.meta.resolve(`koffi/build/koffi/linux_${architecture}/koffi.node`)
  return { [LIBRARY_NAME]: library, [KOFFI]: await readFile(fileURLToPath(koffi)) }
}
