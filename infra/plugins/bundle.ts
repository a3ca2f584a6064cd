/** Serverless plugin: one zip a function, made by esbuild. Leaves in .build what the tests of sizes read. */
import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKED_FILE } from '../../lib/settings.ts'
import { type FunctionDefinition, type Serverless, splitHandler } from '../service.ts'

const FOLDER = '.build'

/** What .build/sizes.json says about each function, by its key in serverless.yml. */
export interface BundleSize {
  /** Of the minified bundle, and of its zip. */
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

const bundleAll = async ({ service, serviceDir, processedInput }: Serverless): Promise<void> => {
  // infra/plugins/deployment.ts packages for the template alone, with zips of its own.
  if (processedInput.commands[0] === 'check') return
  await rm(join(serviceDir, FOLDER), { recursive: true, force: true })
  const sizes: Record<string, BundleSize> = {}
  for (const [key, definition] of Object.entries(service.functions)) {
    sizes[key] = await bundleOne(serviceDir, key, definition)
  }
  await writeFile(join(serviceDir, FOLDER, 'sizes.json'), `${JSON.stringify(sizes, null, 2)}\n`)
}

/** What settings() of lib/settings.ts looks for beside the code. */
const packedFile = ({ packed }: FunctionDefinition): Record<string, Uint8Array> =>
  packed === undefined ? {} : { [PACKED_FILE]: Buffer.from(JSON.stringify(packed)) }

/** Writes the zip and what belongs to it, and has the function deployed from there. */
const bundleOne = async (serviceDir: string, key: string, definition: FunctionDefinition): Promise<BundleSize> => {
  // Loaded here: every serverless command loads the plugins, and only packaging needs esbuild.
  const [{ bundle, packagesOf, sizeOf }, { zip }] = await Promise.all([
    import('../bundle/bundle.ts'),
    import('../bundle/zip.ts'),
  ])
  const { module, name } = splitHandler(definition.handler)
  const { files, sourceMaps, metafile } = await bundle(serviceDir, `${module}.ts`)
  const zipped = zip({ ...files, ...packedFile(definition) })

  const folder = join(FOLDER, key)
  // Uploaded under its base name, beside those of the other functions.
  const artifact = `${folder}.zip`
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
