/** esbuild plugins that make a cold start of a function faster. */

import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join, parse } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import { modulesAt } from './own-modules.ts'
import { importsOf, packageModules } from './package-modules.ts'

const BUILTINS = new Set(builtinModules)

/**
 * Node's own modules come from `process.getBuiltinModule`. An ESM import of one instantiates all of its exports, and
 * `node:http` has undici among them: 15 to 25 ms of every cold start. Exports are inherited, since the bundler asks
 * each own one of a CommonJS module for its descriptor: those of `node:util` load workers.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z_:/0-9]+$/ }, ({ path }) => {
      const name = path.replace(/^node:/, '')
      return BUILTINS.has(name) || path.startsWith('node:') ? { path: `node:${name}`, namespace: 'builtin' } : undefined
    })
    build.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `
        const builtin = process.getBuiltinModule(${JSON.stringify(path)})
        module.exports = Object.getPrototypeOf(builtin) === Object.prototype ? Object.create(builtin) : builtin`,
      loader: 'js',
    }))
  },
}

/**
 * The AWS SDK takes its credentials from the environment and nowhere else, which is where Lambda puts them. The chain
 * through profiles, SSO, web identity and metadata servers is a third of a reading function's bundle and 10 ms of its
 * start; a first request would look for files of settings too. Lambda does not change credentials while a process
 * lives, and the SDK asks for them at each request: they are read once.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export const lambdaCredentials: Plugin = {
  name: 'lambda-credentials',
  setup(build) {
    const chain = ['es', 'cjs'].map((kind) => `@aws-sdk/credential-provider-node/dist-${kind}/index.js`)
    build.onLoad({ filter: packageModules(...chain) }, () => ({
      contents: `
        import { fromEnv } from '@aws-sdk/credential-provider-env'
        export const defaultProvider = (init) => {
          let credentials
          return async () => (credentials ??= await fromEnv(init)())
        }`,
      loader: 'js',
    }))
    build.onLoad({ filter: packageModules('@smithy/core/dist-es/**/loadSharedConfigFiles.js') }, () => ({
      contents: `
        export { CONFIG_PREFIX_SEPARATOR } from "./constants"
        export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} })`,
      loader: 'js',
    }))
  },
}

export const TOUCHED_LATE = importsOf(
  '@hyperledger/anoncreds-nodejs',
  'didwebvh-ts',
  '@sd-jwt/',
  '@digitalcredentials/vc/',
  '@digitalcredentials/jsonld/',
  '@sphereon/',
  '@peculiar/x509',
  '@peculiar/asn1-ecc',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  'dcql',
  're2js',
  'luxon',
  'query-string',
)

/**
 * Credo extends classes of jsonld-signatures while its modules are evaluated, so this package has no stub; its imports
 * have.
 */
const IMPORTERS = [
  packageModules('@credo-ts/', '@digitalcredentials/jsonld-signatures/'),
  modulesAt(
    'lib/presentation-exchange/pattern.ts',
    'lib/agent/formats/anoncreds/',
    'lib/agent/webvh/',
    'lib/agent/dids/webvh-issuer.ts',
    'lib/webvh/',
  ),
]

const NAMESPACE = 'late'
const FOUND = 'found'

/**
 * Modules of Credo's own that have a stub: JSON-LD contexts, which are 160 KB, what ISO mdocs compute with, and Web
 * Crypto, which only X.509 uses. It extends classes of packages with ASN.1, so those have none in its own folder.
 */
export const LATE_MODULES = packageModules(
  '@credo-ts/core/build/**/defaultContexts.mjs',
  '@credo-ts/core/build/**/MdocContext.mjs',
  '@credo-ts/core/build/**/CredoWebCrypto.mjs',
  '@credo-ts/core/build/**/CredoWebCryptoKey.mjs',
  '@credo-ts/core/build/**/keyAlgorithmConversion.mjs',
)
const OF_WEB_CRYPTO = packageModules('@credo-ts/core/build/crypto/webcrypto/')

export const REFLECTS = packageModules('tsyringe/dist/esm2015/index.js', '@credo-ts/**/decorateMetadata.mjs')

/**
 * Modules that add metadata to classes import `reflect-metadata` themselves: shared chunks are not evaluated in the
 * order of the imports, and without that module no metadata is added.
 */
export const metadataFirst: Plugin = {
  name: 'metadata-first',
  setup(build) {
    build.onLoad({ filter: REFLECTS }, async ({ path }) => ({
      contents: `import 'reflect-metadata'\n${await readFile(path, 'utf8')}`,
      loader: 'js',
    }))
  },
}

/**
 * A module whose exports are getters of the real one's. Also finds the members of a CommonJS `default`, as Node does.
 */
const stub = (path: string): string => `
  let loaded
  const load = () => (loaded ??= import(${JSON.stringify(path)}))
  module.exports = Object.create(new Proxy({}, {
    has: () => true,
    get: (_, name) => {
      if (typeof name === 'symbol' || name === '__esModule') return undefined
      const exports = load()
      return name in exports ? exports[name] : exports.default?.[name]
    },
  }))`

/**
 * Modules that are imported at the top but used inside functions only (Credo's SD-JWT, X.509, DCQL, JSON-LD) are loaded
 * at their first use, from separate files. Parsing them would be half of a Credo function's start. The bundler makes
 * the stubs' `import()` synchronous (bundle.ts).
 */
export const lateModules: Plugin = {
  name: 'late-modules',
  setup(build) {
    build.onResolve({ filter: TOUCHED_LATE }, ({ path, importer, namespace, resolveDir }) =>
      namespace !== NAMESPACE && IMPORTERS.some((filter) => filter.test(importer))
        ? { path, namespace: NAMESPACE, pluginData: { resolveDir, module: path } }
        : undefined,
    )
    build.onResolve({ filter: /\.mjs$/ }, async ({ path, importer, namespace, kind, resolveDir, pluginData }) => {
      if (namespace === NAMESPACE || pluginData === FOUND || OF_WEB_CRYPTO.test(importer)) return undefined
      if (!LATE_MODULES.test(join(resolveDir, path))) return undefined
      const resolved = await build.resolve(path, { importer, resolveDir, kind, pluginData: FOUND })
      // Without its ending, by which the bundler would take the stub for an ES module.
      return { path: parse(path).name, namespace: NAMESPACE, pluginData: { resolveDir, module: resolved.path } }
    })
    build.onLoad({ filter: /^/, namespace: NAMESPACE }, ({ pluginData: { module, resolveDir } }) => ({
      contents: stub(module),
      loader: 'js',
      resolveDir,
    }))
  },
}

/** Paths of the modules that have stubs. */
export const lateEntries = (inputs: Metafile['inputs']): Set<string> =>
  new Set(
    Object.entries(inputs)
      .filter(([path]) => path.startsWith(`${NAMESPACE}:`))
      .flatMap(([, { imports }]) => imports.map(({ path }) => path)),
  )
