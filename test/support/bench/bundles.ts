/** Functions as deployed: bundled, zipped, and unpacked again into a folder from which no package can be reached. */
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { unzipSync } from 'fflate'
import { contentsOf, needsLibrary } from '../../../infra/anoncreds/functions.ts'
import { libraryFor } from '../../../infra/anoncreds/library-file.ts'
import { type Bundle, bundle, bundleTogether } from '../../../infra/bundle/bundle.ts'
import { nativeFiles } from '../../../infra/bundle/native-library.ts'
import { zip } from '../../../infra/bundle/zip.ts'
import { PACKED_FILE } from '../../../lib/settings.ts'
import { exportOf } from '../source/operation-functions.ts'

const FOLDER = resolve(import.meta.dirname, '../../..')

/** Names of all functions, such as `create-request`. */
export const FUNCTIONS: readonly string[] = globSync('functions/*.ts', { cwd: FOLDER })
  .map((file) => basename(file, '.ts'))
  .sort()

const bundleFunction = (name: string): Promise<Bundle> => bundle(FOLDER, `functions/${name}.ts`)

/** Bytes of all files. */
export const sizeOf = (files: Record<string, Uint8Array>): number =>
  Object.values(files).reduce((sum, { length }) => sum + length, 0)

/** Bytes of each npm package in the bundle, largest first. `serverless-agent`: the service's own code. */
export const packagesOf = ({ outputs }: Bundle['metafile']): Record<string, number> => {
  const sizes: Record<string, number> = {}
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? 'serverless-agent'
      sizes[name] = (sizes[name] ?? 0) + bytesInOutput
    }
  }
  return Object.fromEntries(Object.entries(sizes).sort(([, a], [, b]) => b - a))
}

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

/** Of AnonCreds' library for this machine; none where it is not installed. Beside the zip: to compress 12 MB takes a second. */
const nativeFilesHere = async (): Promise<Record<string, Uint8Array>> => {
  const library = libraryFor(process.arch)
  return library === undefined ? {} : nativeFiles(process.arch, library)
}

/** Writes a function's files into a separate folder, with this machine's library where it needs one. */
const write = async (
  name: string,
  folder: string,
  bundled: Bundle,
  zipped: Uint8Array,
  native: Record<string, Uint8Array>,
): Promise<UnpackedFunction> => {
  await mkdir(folder)
  // A test does not take the settings with which it was packaged.
  const { [PACKED_FILE]: _, ...unzipped } = unzipSync(zipped)
  const beside = needsLibrary(name) ? native : {}
  for (const [file, contents] of Object.entries({ ...unzipped, ...beside }))
    await writeFile(join(folder, file), contents)
  const [module = ''] = ['index.mjs', `${name}.mjs`].filter((file) => file in bundled.files)
  return { ...bundled, name, zipped, module: join(folder, module) }
}

/** Bundles of these functions: those with the same parts of AnonCreds are made in one call. */
const bundlesTogether = async (names: readonly string[]): Promise<Map<string, Bundle>> => {
  const bundles = new Map<string, Bundle>()
  for (const group of Map.groupBy(names, (name) => JSON.stringify(contentsOf(name))).values()) {
    const entries = Object.fromEntries(group.map((name) => [name, `functions/${name}.ts`]))
    const contents = contentsOf(group[0] ?? '')
    for (const [name, made] of await bundleTogether(FOLDER, entries, contents)) bundles.set(name, made)
  }
  return bundles
}

/** The argument of `write` for a function. */
type Made = [bundled: Bundle, zipped: Uint8Array]

const unpack = async (names: readonly string[], make: (name: string) => Promise<Made>): Promise<Unpacked> => {
  const folder = await mkdtemp(join(tmpdir(), 'functions-'))
  const functions = new Map<string, UnpackedFunction>()
  const native = await nativeFilesHere()
  for (const name of names) functions.set(name, await write(name, join(folder, name), ...(await make(name)), native))
  return { functions, folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Bundles and unpacks functions into a temporary folder: each by itself, as deployed, but for those that are bundled `together`. */
export const unpackFunctions = async (
  names: readonly string[] = FUNCTIONS,
  together: readonly string[] = [],
): Promise<Unpacked> => {
  const made = await bundlesTogether(together)
  return unpack(names, async (name) => {
    const bundled = made.get(name) ?? (await bundleFunction(name))
    return [bundled, zip({ ...bundled.files, ...bundled.forBrowsers })]
  })
}

/** Of a folder, the files with this ending, by name. */
const filesWith = async (ending: string, folder: string): Promise<Record<string, Uint8Array>> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending))
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))])))
}

/** Unpacks the zips that `serverless package` or `serverless deploy` has left (infra/plugins/bundle.ts). */
export const unpackPackaged = (): Promise<Unpacked> =>
  unpack(FUNCTIONS, async (name) => {
    const key = exportOf(name)
    const packaged = join(FOLDER, '.build', key)
    const [files, sourceMaps] = await Promise.all([filesWith('.mjs', packaged), filesWith('.map', packaged)])
    const metafile = JSON.parse(await readFile(join(packaged, 'metafile.json'), 'utf8'))
    return [{ files, sourceMaps, forBrowsers: {}, metafile }, await readFile(join(FOLDER, '.serverless', `${key}.zip`))]
  })
