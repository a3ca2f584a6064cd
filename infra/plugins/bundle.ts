/**
 * Serverless plugin: makes the zip of each function with esbuild. Leaves the sizes, which tests read, in .build, and the
 * zips where the CLI looks for what has changed since the last deployment.
 */
import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKED_FILE } from '../../lib/settings.ts'
import { needsLibrary } from '../anoncreds/functions.ts'
import { libraryFor } from '../anoncreds/library-file.ts'
import type { Bundler } from '../bundle/bundle.ts'
import { type FunctionDefinition, type Serverless, splitHandler } from '../service.ts'

const FOLDER = '.build'
const ZIPS = '.serverless'

/** An entry of .build/sizes.json; its key is the function's in serverless.yml. */
export interface BundleSize {
  /** Of the minified bundle, and of its zip, which may hold AnonCreds' library too. */
  bytes: number
  zipBytes: number
  /** SHA-256 of the zip, hexadecimal. */
  sha256: string
  /** Bytes of each npm package in the bundle. */
  packages: Record<string, number>
  /** esbuild's metafile of the bundle, from the service's folder. */
  metafile: string
}

export default class Bundles {
  readonly hooks: Record<string, () => Promise<void>>

  constructor(serverless: Serverless) {
    this.hooks = {
      'before:package:createDeploymentArtifacts': () => bundleAll(serverless),
      'before:deploy:function:packageFunction': () => bundleAll(serverless),
    }
  }
}

const bundleAll = async (serverless: Serverless): Promise<void> => {
  const { service, serviceDir, processedInput } = serverless
  // infra/plugins/deployment.ts packages for the template alone, with zips of its own.
  if (processedInput.commands[0] === 'check') return
  const needed = Object.values(service.functions).some(({ handler }) => needsLibrary(splitHandler(handler).module))
  const native = needed ? await filesOfLibrary(serverless) : {}
  await rm(join(serviceDir, FOLDER), { recursive: true, force: true })
  await mkdir(join(serviceDir, FOLDER))
  await mkdir(join(serviceDir, ZIPS), { recursive: true })
  // Loaded here: every serverless command loads the plugins, and only packaging needs esbuild.
  const { Bundler } = await import('../bundle/bundle.ts')
  await using bundler = new Bundler(serviceDir)
  const sizes: Record<string, BundleSize> = {}
  for (const [key, definition] of Object.entries(service.functions)) {
    sizes[key] = await bundleOne(serviceDir, bundler, key, definition, native)
  }
  await writeFile(join(serviceDir, FOLDER, 'sizes.json'), `${JSON.stringify(sizes, null, 2)}\n`)
}

/** Files of AnonCreds' library; none with `ANONCREDS=off`. */
const filesOfLibrary = async ({ service, classes }: Serverless): Promise<Record<string, Uint8Array>> => {
  const { architecture } = service.provider
  const library = libraryFor(architecture)
  // Loaded here: every serverless command loads the plugins.
  const [{ nativeFiles }, { checkAnonCreds }, { faultsMessage }] = await Promise.all([
    import('../bundle/native-library.ts'),
    import('../deployment/checks/anoncreds.ts'),
    import('../deployment/finding.ts'),
  ])
  const faults = faultsMessage(checkAnonCreds({ architecture, hasLibrary: library !== undefined }, process.env))
  if (faults !== undefined) throw new classes.Error(faults)
  if (library === undefined || process.env.ANONCREDS === 'off') return {}
  return nativeFiles(architecture, library)
}

/** The file that settings() of lib/settings.ts reads beside the code. */
const packedFile = ({ packed }: FunctionDefinition): Record<string, Uint8Array> =>
  packed === undefined ? {} : { [PACKED_FILE]: Buffer.from(JSON.stringify(packed)) }

/** Writes the zip and its source maps and metafile, and sets it as the function's artifact. */
const bundleOne = async (
  serviceDir: string,
  bundler: Bundler,
  key: string,
  definition: FunctionDefinition,
  native: Record<string, Uint8Array>,
): Promise<BundleSize> => {
  const [{ packagesOf, sizeOf }, { zip }] = await Promise.all([
    import('../bundle/bundle.ts'),
    import('../bundle/zip.ts'),
  ])
  const { module, name } = splitHandler(definition.handler)
  const { files, forBrowsers, sourceMaps, metafile } = await bundler.bundle(`${module}.ts`)
  const beside = needsLibrary(module) ? native : {}
  const zipped = zip({ ...files, ...forBrowsers, ...packedFile(definition), ...beside })

  const folder = join(FOLDER, key)
  // Uploaded under its base name, beside those of the other functions.
  const artifact = join(ZIPS, `${key}.zip`)
  await mkdir(join(serviceDir, folder), { recursive: true })
  await Promise.all([
    ...Object.entries({ ...files, ...sourceMaps }).map(([file, contents]) =>
      writeFile(join(serviceDir, folder, file), contents),
    ),
    writeFile(join(serviceDir, folder, 'metafile.json'), JSON.stringify(metafile)),
    writeFile(join(serviceDir, artifact), zipped),
  ])

  definition.package = { ...definition.package, artifact }
  definition.handler = `index.${name}`
  return {
    bytes: sizeOf(files),
    zipBytes: zipped.length,
    sha256: createHash('sha256').update(zipped).digest('hex'),
    packages: packagesOf(metafile),
    metafile: join(folder, 'metafile.json'),
  }
}
