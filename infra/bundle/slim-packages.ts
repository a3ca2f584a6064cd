/** esbuild plugins that leave out parts of packages that no function uses. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { modulesAt } from './own-modules.ts'
import { importsOf, packageModules } from './package-modules.ts'

/**
 * Half of the size of a Credo function's bundle: parsers of ISO mdocs, which no DIDComm format uses; JSON-LD's HTTP
 * client, in place of which Credo passes another document loader; the `fetch` polyfill of did:web's resolver, in place
 * of which the service reads documents itself; PEX and its JSONPath, in place of which the service evaluates
 * presentations itself. Some of it turns text into code.
 */
export const NEVER_CALLED = importsOf(
  '@animo-id/mdoc',
  '@animo-id/pex/',
  '@astronautlabs/jsonpath',
  '@sphereon/kmp-mdoc-core',
  'undici',
  'cross-fetch',
)

/** A module whose exports can be read, but not called. */
const absent = (path: string): string => `
  function refuse() { throw new Error(${JSON.stringify(`${path} is not part of this bundle`)}) }
  const absent = new Proxy(refuse, {
    get: (_, name) => (typeof name === 'symbol' || name === '__esModule' ? undefined : absent),
    construct: refuse,
  })
  module.exports = absent`

const leaveOut = (name: string, filter: RegExp): Plugin => ({
  name,
  setup(build) {
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: name }))
    build.onLoad({ filter: /^/, namespace: name }, ({ path }) => ({ contents: absent(path), loader: 'js' }))
  },
})

export const leftOut = leaveOut('absent', NEVER_CALLED)

/** For functions without AnonCreds' native library (infra/anoncreds/functions.ts). */
export const bindingLeftOut = leaveOut('absent-binding', importsOf('@hyperledger/anoncreds-nodejs'))

/** Replacements of modules, by path. */
type Replacements = Readonly<Record<string, string>>

/** For functions without registries of AnonCreds objects. */
const NO_REGISTRIES: Replacements = {
  'lib/agent/formats/anoncreds/registries.ts': 'export const registries = []',
}

/** For functions without did:webvh. */
const NO_WEBVH: Replacements = {
  'lib/agent/webvh/resolver.ts': `export class WebvhDidResolver {
    supportedMethods = []
    allowsCaching = false
    allowsLocalDidRecord = false
  }`,
}

/**
 * The replacement of a module. Its other exports throw when called: index.ts files name them, and no such function
 * calls them.
 */
const replacementOf = async (path: string, replacements: Replacements): Promise<string> => {
  const replacement = Object.entries(replacements).find(([module]) => modulesAt(module).test(path))?.[1] ?? ''
  const exported = (await readFile(path, 'utf8')).matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)
  const others = [...exported].flatMap(([, name = '']) => (replacement.includes(name) ? [] : [name]))
  const absentOnes = others.map((name) => `export const ${name} = () => { throw new Error('${name} is left out') }`)
  return [replacement, ...absentOnes].join('\n')
}

const replaced = (name: string, replacements: Replacements): Plugin => ({
  name,
  setup(build) {
    const filter = modulesAt(...Object.keys(replacements))
    build.onLoad({ filter }, async ({ path }) => ({ contents: await replacementOf(path, replacements), loader: 'js' }))
  },
})

/** For functions that read and publish no AnonCreds objects. */
export const registriesLeftOut = replaced('registries-left-out', NO_REGISTRIES)

/** For functions that neither read nor make a did:webvh. */
export const webvhLeftOut = replaced('webvh-left-out', NO_WEBVH)

/** Node gets rxjs's CommonJS build, of which nothing can be left out. Its ES modules are the same code. */
export const treeOfRxjs: Plugin = {
  name: 'tree-of-rxjs',
  setup(build) {
    build.onResolve({ filter: importsOf('rxjs', 'rxjs/operators') }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === 'found') return undefined
      const resolved = await build.resolve(path, { resolveDir, kind, pluginData: 'found' })
      return { path: resolved.path.replace(/([\\/]dist[\\/])cjs([\\/])/, '$1esm$2'), sideEffects: false }
    })
  },
}

/** Replacements in the code of didwebvh-ts. */
const OF_WEBVH: readonly (readonly [from: string, to: string])[] = [
  // It caches every hash and its text without limit: third parties' logs would fill a function's memory.
  ['hashCache.set(key, hash);', ''],
  // Module loaders that it uses only for its own tests, or not at all.
  ['import { createRequire } from "node:module";', ''],
  ['var __require = /* @__PURE__ */ createRequire(import.meta.url);', ''],
  // In tests it writes every log that it reads into a file.
  ['getEnvValue("NODE_ENV") === "test"', 'false'],
]

/** Its file access. In the service, logs come from the table or the guarded HTTP client. */
const READS_FILES = /\bawait import\([^)]*\)/g

/** The code of didwebvh-ts for bundles. Throws if a text is no longer there, so that updates are reviewed. */
export const slimWebvhCode = (code: string): string =>
  OF_WEBVH.reduce((slim, [from, to]) => {
    if (!slim.includes(from)) throw new Error(`didwebvh-ts no longer has ${from}`)
    return slim.replace(from, to)
  }, code).replace(READS_FILES, 'await Promise.reject()')

export const slimWebvh: Plugin = {
  name: 'slim-webvh',
  setup(build) {
    build.onLoad({ filter: packageModules('didwebvh-ts/dist/esm/index.js') }, async ({ path }) => ({
      contents: slimWebvhCode(await readFile(path, 'utf8')),
      loader: 'js',
    }))
  },
}

/** Of a package.json, which is up to 4 KB, code reads the version. */
export const versionsOnly: Plugin = {
  name: 'versions-only',
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
      const { name, version } = JSON.parse(await readFile(path, 'utf8'))
      return { contents: JSON.stringify({ name, version }), loader: 'json' }
    })
  },
}

/** The texts of zod's errors in 50 languages. Its own default is English. */
export const localesLeftOut: Plugin = {
  name: 'locales-left-out',
  setup(build) {
    build.onLoad({ filter: packageModules('zod/v4/locales/index.js') }, () => ({ contents: '' }))
  },
}

/**
 * Credo's packages do not say that their modules can be left out where nothing uses what they export. Most import
 * whole folders beside what they need.
 */
export const treeOfCredo: Plugin = {
  name: 'tree-of-credo',
  setup(build) {
    const ofCredo = packageModules('@credo-ts/')
    build.onResolve({ filter: /^\.\.?\/.*\.mjs$/ }, ({ path, resolveDir }) =>
      ofCredo.test(resolveDir) ? { path: join(resolveDir, path), sideEffects: false } : undefined,
    )
  },
}

/**
 * The SDK asks of each body whether it is a stream or a blob of the web, for which Node loads all that it has of them:
 * 5 ms. The SDK's client reads by `node:https`, and no operation of the service sends a body of these kinds.
 */
export const nodeStreams: Plugin = {
  name: 'node-streams',
  setup(build) {
    const filter = packageModules('@smithy/core/dist-es/**/stream-type-check.js')
    build.onLoad({ filter }, () => ({
      contents: 'export const isReadableStream = () => false; export const isBlob = () => false',
      loader: 'js',
    }))
  },
}
