/**
 * An esbuild plugin: Node's own modules come from `process.getBuiltinModule`. An ESM import of one instantiates all of its exports, and
 * `node:http` has undici among them: 15 to 25 ms of every cold start.
 */
import { builtinModules } from 'node:module'
import type { Plugin } from 'esbuild'

const BUILTINS = new Set(builtinModules)

export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z_:/0-9]+$/ }, ({ path }) => {
      const name = path.replace(/^node:/, '')
      return BUILTINS.has(name) || path.startsWith('node:') ? { path: `node:${name}`, namespace: 'builtin' } : undefined
    })
    build.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
      loader: 'js',
    }))
  },
}
