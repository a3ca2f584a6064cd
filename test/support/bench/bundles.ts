/** Functions as they are deployed: bundled, zipped, and unpacked again into a folder from which no package can be reached. */
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { unzipSync } from 'fflate'
import { needsLibrary, needsRegistries } from '../../../infra/anoncreds/functions.ts'
import { libraryFor } from '../../../infra/anoncreds/library-file.ts'
import { type Bundle, bundle, bundleTogether } from '../../../infra/bundle/bundle.ts'
import { nativeFiles } from '../../../infra/bundle/native-library.ts'
import { zip } from '../../../infra/bundle/zip.ts'

/** Of esbuild, which this process starts with the first bundle: with its own 100 a fifth of its work is the collecting of garbage. */
process.env.GOGC ??= '400'

const FOLDER = resolve(import.meta.dirname, '../../..')

/** Names of all functions, such as `create-request`. */
export const FUNCTIONS: readonly string[] = globSync('functions/*.ts', { cwd: FOLDER })
  .map((file) => basename(file, '.ts'))
  .sort()

export const bundleFunction = (name: string): Promise<Bundle> => bundle(FOLDER, `functions/${name}.ts`)

export interface UnpackedFunction extends Bundle {
  name: string
  /** Path of the module that exports the handler. */
  module: string
  zipped: Uint8Array
}

export interface Unpacked {
  functions: Map<string, UnpackedFunction>
  /** Where they lie. */
  folder: string
  remove(): Promise<void>
}

/** Of AnonCreds' library for this machine; none where it is not. Beside the zip: to compress 12 MB takes a second. */
const nativeFilesHere = async (): Promise<Record<string, Uint8Array>> => {
  const library = libraryFor(process.arch)
  return library === undefined ? {} : nativeFiles(process.arch, library)
}

const unpack = async (
  name: string,
  folder: string,
  bundled: Bundle,
  native: Record<string, Uint8Array>,
): Promise<UnpackedFunction> => {
  const zipped = zip({ ...bundled.files, ...bundled.forBrowsers })
  await mkdir(folder)
  const beside = needsLibrary(name) ? native : {}
  for (const [file, contents] of Object.entries({ ...unzipSync(zipped), ...beside }))
    await writeFile(join(folder, file), contents)
  const [module = ''] = ['index.mjs', `${name}.mjs`].filter((file) => file in bundled.files)
  return { ...bundled, name, zipped, module: join(folder, module) }
}

/** Bundles of these functions: those that have the same of AnonCreds are made in one call. */
const bundlesTogether = async (names: readonly string[]): Promise<Map<string, Bundle>> => {
  const bundles = new Map<string, Bundle>()
  const groups = Map.groupBy(names, (name) => `${needsLibrary(name)} ${needsRegistries(name)}`)
  for (const group of groups.values()) {
    const [first = ''] = group
    const entries = Object.fromEntries(group.map((name) => [name, `functions/${name}.ts`]))
    const contents = { withLibrary: needsLibrary(first), withRegistries: needsRegistries(first) }
    for (const [name, made] of await bundleTogether(FOLDER, entries, contents)) bundles.set(name, made)
  }
  return bundles
}

/** Bundles and unpacks functions into a temporary folder: each by itself, as it is deployed, but for those that are bundled `together`. */
export const unpackFunctions = async (
  names: readonly string[] = FUNCTIONS,
  together: readonly string[] = [],
): Promise<Unpacked> => {
  const folder = await mkdtemp(join(tmpdir(), 'functions-'))
  const functions = new Map<string, UnpackedFunction>()
  const native = await nativeFilesHere()
  const made = await bundlesTogether(together)
  for (const name of names)
    functions.set(name, await unpack(name, join(folder, name), made.get(name) ?? (await bundleFunction(name)), native))
  return { functions, folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
