/** A function's bundle: minified ES modules with only what the function uses. Same input, same bytes. */
import { basename } from 'node:path'
import {
  type BuildContext,
  type BuildOptions,
  type BuildResult,
  build,
  context,
  type Metafile,
  type Plugin,
} from 'esbuild'
import { type Contents, contentsOf } from '../anoncreds/functions.ts'
import { browserFilePlaces, browserFiles } from './browser-files.ts'
import { lambdaCredentials, lateEntries, lateModules, lazyBuiltins, metadataFirst } from './cold-start.ts'
import { nativeLibrary } from './native-library.ts'
import {
  bindingLeftOut,
  leftOut,
  localesLeftOut,
  nodeStreams,
  registriesLeftOut,
  slimWebvh,
  treeOfCredo,
  treeOfRxjs,
  versionsOnly,
  webvhLeftOut,
} from './slim-packages.ts'

export interface Bundle {
  /** By file name: `index.mjs`, which exports the handler, and chunks that are loaded when they are needed. */
  files: Record<string, Uint8Array>
  /** Files for browsers, by name. They go into the zip too, and no function runs them. */
  forBrowsers: Record<string, Uint8Array>
  /** By file name. Kept beside the zip: in it, with `--enable-source-maps`, they cost 15 ms of every cold start. */
  sourceMaps: Record<string, Uint8Array>
  metafile: Metafile
}

/**
 * CommonJS packages call `require`, which an ES module does not have. `atOnce` is the same function with a name as long
 * as `import`, so that it can replace one without moving the positions of the source map.
 */
const REQUIRE = "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url),atOnce=require;"

/**
 * `fetch` throws in functions, so that no package bypasses the guarded HTTP client. On the banner's line, so that
 * source maps stay correct.
 */
const REJECT_FETCH = "globalThis.fetch=async()=>{throw Error('only the guarded client reads from outside')};"

const withoutFetch = (code: string): string => (code.startsWith(REQUIRE) ? `${REJECT_FETCH}${code}` : code)

/**
 * esbuild splits at `import()`, which returns a promise. A late module is needed within a synchronous call, and Node's
 * `require` loads ES modules too
 * (https://nodejs.org/docs/latest-v24.x/api/modules.html#loading-ecmascript-modules-using-require).
 */
const loadAtOnce = (code: string, { inputs, outputs }: Metafile): string => {
  const late = lateEntries(inputs)
  const chunks = Object.entries(outputs).filter(([, { entryPoint = '' }]) => late.has(entryPoint))
  const names = new Set(chunks.map(([path]) => `./${basename(path)}`))
  return code.replace(/\bimport\("([^"]+)"\)/g, (found, path) => (names.has(path) ? `atOnce("${path}")` : found))
}

/**
 * Names of the outputs that the module `name` may load. esbuild also writes outputs that are imported only by code that
 * it leaves out.
 */
const usedOutputs = ({ outputs }: Metafile, name: string): Set<string> => {
  const used = new Set<string>()
  const pending = [`.build/${name}.mjs`]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (used.has(basename(path))) continue
    used.add(basename(path))
    for (const imported of outputs[path]?.imports ?? []) if (imported.external !== true) pending.push(imported.path)
  }
  return used
}

/**
 * Options for the modules `entries`, paths below `folder` by the names of their outputs. Those of several share chunks.
 */
const optionsOf = (
  folder: string,
  entries: Record<string, string>,
  { withLibrary, withRegistries, withWebvh }: Contents,
  more: Plugin[] = [],
) =>
  ({
    absWorkingDir: folder,
    entryPoints: entries,
    // Nothing is written; the names of the outputs start here.
    outdir: '.build',
    outExtension: { '.js': '.mjs' },
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['es2015', 'module', 'main'],
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    banner: { js: REQUIRE },
    // What CommonJS packages have beside `require`.
    define: { __dirname: 'import.meta.dirname' },
    plugins: [
      ...more,
      lazyBuiltins,
      lambdaCredentials,
      leftOut,
      ...(withLibrary ? [] : [bindingLeftOut]),
      ...(withRegistries ? [] : [registriesLeftOut]),
      ...(withWebvh ? [] : [webvhLeftOut]),
      metadataFirst,
      lateModules,
      nativeLibrary,
      browserFilePlaces,
      treeOfRxjs,
      localesLeftOut,
      treeOfCredo,
      nodeStreams,
      versionsOnly,
      slimWebvh,
    ],
  }) satisfies BuildOptions

type Options = ReturnType<typeof optionsOf>

/**
 * The part of the build that the module `name` may load. Throws if a module that is imported for its side effects would
 * be left out: package.json must list it in `sideEffects`.
 */
const bundleOf = async ({ outputFiles, metafile, warnings }: BuildResult<Options>, name: string): Promise<Bundle> => {
  const ignored = warnings.filter(({ id }) => id === 'ignored-bare-import')
  if (ignored.length > 0) throw new Error(ignored.map(({ text }) => text).join('\n'))
  const files: Bundle['files'] = {}
  const sourceMaps: Bundle['sourceMaps'] = {}
  const used = usedOutputs(metafile, name)
  const outputs = Object.fromEntries(Object.entries(metafile.outputs).filter(([path]) => used.has(basename(path))))
  for (const { path, text, contents } of outputFiles) {
    if (!used.has(basename(path, '.map'))) continue
    if (path.endsWith('.map')) sourceMaps[basename(path)] = contents
    else files[basename(path)] = Buffer.from(withoutFetch(loadAtOnce(text, metafile)))
  }
  return { files, forBrowsers: await browserFiles(metafile), sourceMaps, metafile: { ...metafile, outputs } }
}

const ENTRY = 'entry'

// esbuild inherits it. With Go's default of 100 a quarter of its work is garbage collection; with 400 it needs 1.4 GB of
// memory instead of 0.9 GB.
process.env.GOGC ??= '400'

/**
 * Bundles modules one after the other. Imports of neighbours with the same optional parts are parsed once. A context
 * caches what it has parsed, so there is only one: four took 3.7 GB of memory.
 */
export class Bundler implements AsyncDisposable {
  readonly #folder: string
  #context: { contents: string; esbuild: BuildContext<Options> } | undefined
  #entry = ''

  /** The modules' paths are below `folder`. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Wait for it before the next one. */
  async bundle(entry: string, contents = contentsOf(entry)): Promise<Bundle> {
    const key = JSON.stringify(contents)
    if (this.#context?.contents !== key) {
      await this.#context?.esbuild.dispose()
      const options = optionsOf(this.#folder, { index: ENTRY }, contents, [this.#module])
      this.#context = { contents: key, esbuild: await context(options) }
    }
    this.#entry = entry
    return bundleOf(await this.#context.esbuild.rebuild(), 'index')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context?.esbuild.dispose()
  }

  /** A context has the same entry at each build, which exports everything of the requested module. */
  readonly #module: Plugin = {
    name: ENTRY,
    setup: (build) => {
      build.onResolve({ filter: new RegExp(`^${ENTRY}$`) }, () => ({ path: ENTRY, namespace: ENTRY }))
      build.onLoad({ filter: /^/, namespace: ENTRY }, () => ({
        contents: `export * from ${JSON.stringify(`./${this.#entry}`)}`,
        resolveDir: this.#folder,
      }))
    },
  }
}

/** Bundles one module. */
export const bundle = async (folder: string, entry: string, contents?: Contents): Promise<Bundle> => {
  await using bundler = new Bundler(folder)
  return await bundler.bundle(entry, contents)
}

/**
 * Bundles several modules, by the names of the files that export their handlers, for tests that load them all: it is
 * many times faster than one by one. They share chunks, so each is larger than alone.
 */
export const bundleTogether = async (
  folder: string,
  entries: Record<string, string>,
  contents: Contents,
): Promise<Map<string, Bundle>> => {
  const built = await build(optionsOf(folder, entries, contents))
  const bundles = Object.keys(entries).map(async (name) => [name, await bundleOf(built, name)] as const)
  return new Map(await Promise.all(bundles))
}
