/**
 * Sources of AnonCreds' native library: its project's release, by the package's own installer, and its Python wheel, by
 * pip.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { type Architecture, LIBRARY_NAME } from './library-file.ts'

export interface LibrarySource {
  name: string
  /** Downloads it into `folder`, which is empty, and returns its bytes. */
  bring(architecture: Architecture, folder: string): Promise<Uint8Array>
}

const require = createRequire(import.meta.url)
const run = promisify(execFile)

/** Ms for downloading 4 MB. */
const TIMEOUT = 120_000

const RELEASE_NAMES: Record<Architecture, string> = { x64: 'x86_64', arm64: 'aarch64' }

/**
 * The installer ends its process if it fails, so it runs in a separate one. Arguments: the installer's path and
 * options.
 */
const INSTALL = `require(process.argv[1]).downloadBinaryIfNeeded(JSON.parse(process.argv[2]))`

/**
 * The same as the package's install script, which supports only this machine's processor and writes into node_modules.
 */
const release: LibrarySource = {
  name: 'the release',
  bring: async (architecture, folder) => {
    const { binary } = require('@hyperledger/anoncreds-nodejs/package.json')
    const options = {
      host: binary.host,
      version: binary.version,
      packageName: `library-linux-${RELEASE_NAMES[architecture]}.tar.gz`,
      targetDirectory: folder,
    }
    const installer = require.resolve('@hyperledger/anoncreds-shared/installBinary')
    await run(process.execPath, ['-e', INSTALL, installer, JSON.stringify(options)], { timeout: TIMEOUT })
    return readFile(join(folder, LIBRARY_NAME))
  },
}

const WHEEL = 'anoncreds==0.2.3'
const WHEEL_PLATFORMS: Record<Architecture, string> = { x64: 'manylinux2014_x86_64', arm64: 'manylinux2014_aarch64' }
const PIP = ['-m', 'pip', 'download', '--quiet', '--no-input', '--no-deps', '--only-binary=:all:']

const wheel: LibrarySource = {
  name: "pip's wheel",
  bring: async (architecture, folder) => {
    const args = [...PIP, '--platform', WHEEL_PLATFORMS[architecture], '--dest', folder, WHEEL]
    await run('python3', args, { timeout: TIMEOUT })
    const [name] = await readdir(folder)
    if (name === undefined) throw new Error('pip brought nothing')
    const path = `anoncreds/${LIBRARY_NAME}`
    const { [path]: library } = unzipSync(await readFile(join(folder, name)), { filter: (file) => file.name === path })
    if (library === undefined) throw new Error(`${name} does not hold ${path}`)
    return library
  },
}

/** In the order in which they are tried. */
export const LIBRARY_SOURCES: LibrarySource[] = [release, wheel]
