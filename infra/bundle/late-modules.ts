/**
 * An esbuild plugin: what is imported at the top and touched inside functions only (Credo's SD-JWT, X.509, DCQL, JSON-LD) is loaded when it is
 * first touched, out of a file of its own. Of a Credo function's start, half would be the parsing of what it rarely needs.
 */
import type { Metafile, Plugin } from 'esbuild'

const TOUCHED_LATE = new RegExp(
  `^(${[
    '@hyperledger/anoncreds-nodejs',
    'didwebvh-ts',
    '@sd-jwt/[^/]+',
    '@digitalcredentials/(vc|jsonld)(/.*)?',
    '@sphereon/[^/]+',
    '@peculiar/x509',
    'dcql',
    're2js',
  ].join('|')})$`,
)

/** Credo extends classes of jsonld-signatures while its modules are evaluated, so that one can't wait; but what it imports can. */
const IMPORTER =
  /@credo-ts|@digitalcredentials\/jsonld-signatures|lib\/presentation-exchange\/pattern|lib\/agent\/anoncreds|lib\/webvh/

const NAMESPACE = 'late'

/** A module whose exports are getters of the real one. A CommonJS `default` is looked through, as Node does. */
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

/** The bundler has yet to make the stubs' `import()` synchronous. */
export const lateModules: Plugin = {
  name: 'late-modules',
  setup(build) {
    build.onResolve({ filter: TOUCHED_LATE }, ({ path, importer, namespace, resolveDir }) =>
      namespace !== NAMESPACE && IMPORTER.test(importer)
        ? { path, namespace: NAMESPACE, pluginData: resolveDir }
        : undefined,
    )
    build.onLoad({ filter: /^/, namespace: NAMESPACE }, ({ path, pluginData }) => ({
      contents: stub(path),
      loader: 'js',
      resolveDir: pluginData,
    }))
  },
}

/** Paths of the modules that stubs stand for. */
export const lateEntries = (inputs: Metafile['inputs']): Set<string> =>
  new Set(
    Object.entries(inputs)
      .filter(([path]) => path.startsWith(`${NAMESPACE}:`))
      .flatMap(([, { imports }]) => imports.map(({ path }) => path)),
  )
