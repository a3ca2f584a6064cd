/**
 * An esbuild plugin: what Credo imports at the top and touches inside functions only (mdoc, SD-JWT, presentation exchange, JSON-LD) is
 * evaluated when it is first touched. Start to ready is 336 ms instead of 447 that way.
 */
import type { Plugin } from 'esbuild'

/** Credo extends classes of jsonld-signatures while its modules are evaluated, so that one can't wait. */
const TOUCHED_LATE = new RegExp(
  `^(${[
    '@animo-id/mdoc',
    '@animo-id/pex(/.*)?',
    '@sd-jwt/[^/]+',
    '@digitalcredentials/(vc|jsonld)(/.*)?',
    '@sphereon/[^/]+',
    '@astronautlabs/jsonpath',
    '@peculiar/x509',
    'dcql',
    'web-did-resolver',
  ].join('|')})$`,
)

/** A module whose exports are getters of the real one. A CommonJS `default` is looked through, as Node does. */
const stub = (path: string): string => `
  let loaded
  const load = () => (loaded ??= require(${JSON.stringify(path)}))
  module.exports = Object.create(new Proxy({}, {
    has: () => true,
    get: (_, name) => {
      if (typeof name === 'symbol' || name === '__esModule') return undefined
      const exports = load()
      return name in exports ? exports[name] : exports.default?.[name]
    },
  }))`

export const lazyCredo: Plugin = {
  name: 'lazy-credo',
  setup(build) {
    build.onResolve({ filter: TOUCHED_LATE }, ({ path, importer, namespace, resolveDir }) =>
      namespace !== 'lazy' && importer.includes('@credo-ts')
        ? { path, namespace: 'lazy', pluginData: resolveDir }
        : undefined,
    )
    build.onLoad({ filter: /^/, namespace: 'lazy' }, ({ path, pluginData }) => ({
      contents: stub(path),
      loader: 'js',
      resolveDir: pluginData,
    }))
  },
}

/** An esbuild plugin: of the fifty languages that zod can say its errors in, English. */
export const englishZod: Plugin = {
  name: 'english-zod',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
      loader: 'js',
    }))
  },
}
