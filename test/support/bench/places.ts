/** Where the text of a bundle comes from, by its source maps. */
import { SourceMap } from 'node:module'
import type { Bundle } from '../../../infra/bundle/bundle.ts'

/** What no source map tells of: code that the bundler adds. */
const BUNDLER = 'infra/bundle/bundle.ts'

/** `jose/dist/webapi/util/errors.js` of `../node_modules/jose/dist/webapi/util/errors.js`, `lib/errors.ts` of `../lib/errors.ts`. */
const shorten = (source: string): string => source.replace(/^.*node_modules\//, '').replace(/^(\.\.\/)+/, '')

/** Tells of an offset in a file of the bundle which module it comes from: a path below node_modules, or below the service's folder. */
export const sourcesOf = ({ sourceMaps }: Bundle, file: string, text: string): ((offset: number) => string) => {
  const map = new SourceMap(JSON.parse(Buffer.from(sourceMaps[`${file}.map`] ?? '{}').toString()))
  return (offset) => {
    const before = text.slice(0, offset)
    const line = before.split('\n').length - 1
    const entry = map.findEntry(line, offset - before.lastIndexOf('\n') - 1)
    return 'originalSource' in entry ? shorten(entry.originalSource) : BUNDLER
  }
}
