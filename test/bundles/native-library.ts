/** AnonCreds' native library in the bundles: only where it is needed, found beside the code there, and loaded by its first call. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { unzipSync } from 'fflate'
import { beforeAll, expect, test } from 'vitest'
import { contentsOf, needsLibrary, needsRegistries, needsWebvh } from '../../infra/anoncreds/functions.ts'
import { libraryFor } from '../../infra/anoncreds/library-file.ts'
import { bundle } from '../../infra/bundle/bundle.ts'
import { nativeFiles } from '../../infra/bundle/native-library.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import type { nativeFunction } from '../support/anoncreds/native-function.ts'
import { NODE_OPTIONS } from '../support/bench/bundled-stage.ts'
import { sizeOf, type Unpacked } from '../support/bench/bundles.ts'
import { startFunction } from '../support/bench/function-process.ts'

const REGISTRIES = /anoncreds\/(webvh|indy)-(registry|issuer|resources)/
const WEBVH = /didwebvh-ts|@credo-ts\/webvh|lib\/webvh\/(log|attested)/

/** Bytes that the library adds to a function, unzipped. */
const MAX_BYTES = 12_000_000

const ENVIRONMENT = { NODE_OPTIONS, TABLE_NAME: 'agent', PUBLIC_URL: 'https://agent.example.org', LOG_LEVEL: 'silent' }

type Answer = Awaited<ReturnType<typeof nativeFunction>>

const NATIVE_FUNCTION = 'test/support/anoncreds/native-function.ts'

const bundleNativeFunction = (withLibrary: boolean) =>
  bundle(resolve('.'), NATIVE_FUNCTION, { ...contentsOf(NATIVE_FUNCTION), withLibrary })

/** Calls the bundled function in a plain process, with these files beside it. */
const call = async (files: Record<string, Uint8Array>): Promise<Answer> => {
  const folder = await mkdtemp(join(tmpdir(), 'native-'))
  for (const [name, contents] of Object.entries(files)) await writeFile(join(folder, name), contents)
  const environment = { ...ENVIRONMENT, LIB_ANONCREDS_PATH: folder }
  const running = await startFunction(join(folder, 'index.mjs'), 'nativeFunction', environment)
  try {
    return (await running.invoke({})) as Answer
  } finally {
    await running.stop()
    await rm(folder, { recursive: true })
  }
}

/** Names of the files of a zip, of which nothing is unpacked. */
const namesIn = (zipped: Uint8Array): string[] => {
  const names: string[] = []
  unzipSync(zipped, {
    filter: ({ name }) => {
      names.push(name)
      return false
    },
  })
  return names
}

const NONCE = expect.stringMatching(/^\d{1,25}$/)

const UNFETCHED = { fetched: 'Error: only the guarded client reads from outside' }

const UNAVAILABLE = {
  ...UNFETCHED,
  ...{ atStart: [], loadedByNonce: [], nonce: NONCE, isAvailable: false },
  ...{ linkSecret: 'anoncreds.unavailable', schema: 'anoncreds.unavailable' },
}

export const testNativeLibrary = (unpacked: () => Unpacked): void => {
  /** Packages and modules of the service in the bundles of those functions that do not need them, by `name: what`. */
  const foundWithout = (needed: (name: string) => boolean, what: RegExp): string[] => {
    const without = [...unpacked().functions.values()].filter(({ name }) => !needed(name))
    expect(without.length).toBeGreaterThan(20)
    return without.flatMap(({ name, metafile }) =>
      Object.values(metafile.outputs)
        .flatMap(({ inputs }) => Object.entries(inputs))
        .flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 && what.test(path) ? [`${name}: ${path}`] : [])),
    )
  }

  test('functions that need no native library have nothing that binds it', () => {
    expect(foundWithout(needsLibrary, /anoncreds-nodejs\/|koffi/)).toEqual([])
  })

  test('nor have their zips the library', () => {
    const zips = [...unpacked().functions.values()].filter(({ name }) => !needsLibrary(name))
    const files = zips.flatMap(({ zipped }) => namesIn(zipped))
    expect(files.filter((file) => /libanoncreds/.test(file))).toEqual([])
    expect(files.length).toBeGreaterThan(20)
  })

  test('`fetch` is refused in every function, whichever package calls it', () => {
    const code = [...unpacked().functions.values()].flatMap(({ files }) => Object.values(files))
    const found = code.filter((one) => !Buffer.from(one).toString().startsWith('globalThis.fetch=async()=>{throw '))
    expect(found).toEqual([])
  })

  test('functions that need no registries have none', () => {
    expect(foundWithout(needsRegistries, REGISTRIES)).toEqual([])
  })

  test('functions that send no messages and read no objects have no code that verifies or creates a did:webvh', () => {
    expect(foundWithout(needsWebvh, WEBVH)).toEqual([])
  })

  test('functions that write to other agents can read a did:webvh', () => {
    const writing = [...unpacked().functions.values()].filter(({ name }) => needsWebvh(name))
    const names = writing.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['send-message', 'request-proof', 'accept-connection-request']))
    const lacking = writing.filter(({ metafile }) =>
      Object.values(metafile.outputs).every(({ inputs }) => !inputs['lib/webvh/log.ts']?.bytesInOutput),
    )
    expect(lacking.map(({ name }) => name)).toEqual([])
  })

  test('where the library is missing, its calls are rejected, but nonces can still be made', async () => {
    const { files } = await bundleNativeFunction(true)
    expect(await call(files)).toEqual(UNAVAILABLE)
  })

  test('a bundle without the binding does the same', async () => {
    const { files } = await bundleNativeFunction(false)
    expect(await call(files)).toEqual(UNAVAILABLE)
  })

  describeWithLibrary('with the library beside the code', () => {
    let native: Record<string, Uint8Array>

    beforeAll(async () => {
      const library = libraryFor(process.arch)
      if (library === undefined) throw new Error('npm run anoncreds brings the library')
      native = await nativeFiles(process.arch, library)
    })

    test('its first call loads it, and Credo’s classes use it', async () => {
      const { files } = await bundleNativeFunction(true)
      expect(await call({ ...files, ...native })).toEqual({
        ...{ atStart: [], loadedByNonce: [], nonce: NONCE, isAvailable: true },
        ...{ linkSecret: expect.stringMatching(/^\d{60,90}$/), schema: 'degree', ...UNFETCHED },
      })
    })

    test('it is not more than 12 MB, with its dependencies', async () => {
      const sizes = await Promise.all([true, false].map(async (one) => sizeOf((await bundleNativeFunction(one)).files)))
      const [withBinding = 0, without = 0] = sizes
      expect(withBinding - without + sizeOf(native)).toBeLessThanOrEqual(MAX_BYTES)
    })
  })
}
