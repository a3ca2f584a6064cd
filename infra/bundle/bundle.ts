/** A function's bundle: one minified ES module with all that the function uses and nothing else. Same input, same bytes. */
import { build, type Metafile } from 'esbuild'
import { lambdaCredentials } from './lambda-credentials.ts'
import { lazyBuiltins } from './lazy-builtins.ts'
import { englishZod, lazyCredo } from './lazy-credo.ts'

export interface Bundle {
  code: Uint8Array
  /** Kept beside the zip: in it, with `--enable-source-maps`, it costs 15 ms of every cold start. */
  sourceMap: Uint8Array
  metafile: Metafile
}

/** CommonJS packages ask for `require`, which an ES module does not have. */
const REQUIRE = "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);"

const bytes = (files: { path: string; contents: Uint8Array }[], extension: string): Uint8Array => {
  const file = files.find(({ path }) => path.endsWith(extension))
  if (file === undefined) throw new Error(`esbuild wrote no ${extension}`)
  return file.contents
}

/** Bundles the module `entry`, a path below `folder`. */
export const bundle = async (folder: string, entry: string): Promise<Bundle> => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    outfile: 'index.mjs',
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    banner: { js: REQUIRE },
    plugins: [lazyBuiltins, lambdaCredentials, lazyCredo, englishZod],
  })
  return { code: bytes(outputFiles, '.mjs'), sourceMap: bytes(outputFiles, '.map'), metafile }
}

/** Bytes that each npm package has in the bundle, largest first. What is not of a package is the service's own. */
export const packagesOf = ({ outputs }: Metafile): Record<string, number> => {
  const sizes: Record<string, number> = {}
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? 'serverless-agent'
      sizes[name] = (sizes[name] ?? 0) + bytesInOutput
    }
  }
  return Object.fromEntries(Object.entries(sizes).sort(([, a], [, b]) => b - a))
}
