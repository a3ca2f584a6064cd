/** Creates the zip of each function at the path where the CLI compares it with the last deployment. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKED_FILE } from '../../lib/settings.ts'
import { contentsOf, needsLibrary } from '../anoncreds/functions.ts'
import { libraryFor } from '../anoncreds/library-file.ts'
import { checkAnonCreds } from '../deployment/checks/anoncreds.ts'
import { faultsMessage } from '../deployment/finding.ts'
import { type FunctionDefinition, type Serverless, splitHandler } from '../service.ts'
import { Bundler } from './bundle.ts'
import { nativeFiles } from './native-library.ts'
import { zip } from './zip.ts'

/** Of bundles, source maps and metafiles. */
const FOLDER = '.build'
const ZIPS = '.serverless'

export const zipFunctions = async ({ service, serviceDir, classes }: Serverless): Promise<void> => {
  const { functions, provider } = service
  const needed = Object.values(functions).some(({ handler }) => needsLibrary(splitHandler(handler).module))
  const native = needed ? await filesOfLibrary(provider.architecture, classes) : {}
  await rm(join(serviceDir, FOLDER), { recursive: true, force: true })
  await mkdir(join(serviceDir, ZIPS), { recursive: true })
  await using bundler = new Bundler(serviceDir)
  const groups = Map.groupBy(Object.entries(functions), ([, { handler }]) =>
    JSON.stringify(contentsOf(splitHandler(handler).module)),
  )
  for (const [key, definition] of [...groups.values()].flat())
    await zipFunction(serviceDir, bundler, key, definition, native)
}

/** Files of AnonCreds' library; none with `ANONCREDS=off`. */
const filesOfLibrary = async (
  architecture: string,
  classes: Serverless['classes'],
): Promise<Record<string, Uint8Array>> => {
  const library = libraryFor(architecture)
  const faults = faultsMessage(checkAnonCreds({ architecture, hasLibrary: library !== undefined }, process.env))
  if (faults !== undefined) throw new classes.Error(faults)
  return library === undefined || process.env.ANONCREDS === 'off' ? {} : nativeFiles(architecture, library)
}

/** The file that settings() of lib/settings.ts reads beside the code. */
const packedFile = ({ packed }: FunctionDefinition): Record<string, Uint8Array> =>
  packed === undefined ? {} : { [PACKED_FILE]: Buffer.from(JSON.stringify(packed)) }

/** Writes the zip, and sets it as the function's artifact. */
const zipFunction = async (
  serviceDir: string,
  bundler: Bundler,
  key: string,
  definition: FunctionDefinition,
  native: Record<string, Uint8Array>,
): Promise<void> => {
  const { module, name } = splitHandler(definition.handler)
  const { files, forBrowsers, sourceMaps, metafile } = await bundler.bundle(`${module}.ts`)
  const beside = needsLibrary(module) ? native : {}

  const folder = join(serviceDir, FOLDER, key)
  // Uploaded under its base name, beside those of the other functions.
  const artifact = join(ZIPS, `${key}.zip`)
  await mkdir(folder, { recursive: true })
  await Promise.all([
    ...Object.entries({ ...files, ...sourceMaps }).map(([file, contents]) => writeFile(join(folder, file), contents)),
    writeFile(join(folder, 'metafile.json'), JSON.stringify(metafile)),
    writeFile(join(serviceDir, artifact), zip({ ...files, ...forBrowsers, ...packedFile(definition), ...beside })),
  ])

  definition.package = { ...definition.package, artifact }
  definition.handler = `index.${name}`
}
