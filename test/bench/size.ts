/** How large the functions are: what is deployed, what of it is read at every start, and whether Credo is in it. */
import { FUNCTIONS, packagesOf, sizeOf, type UnpackedFunction, unpackFunctions } from '../support/bench/bundles.ts'
import { filesAtStart } from '../support/bench/read-at-start.ts'
import { type Cell, printTable } from '../support/bench/table.ts'

const kib = (bytes: number): number => Math.round(bytes / 1024)

const toRow = (unpacked: UnpackedFunction): Cell[] => {
  const credo = Object.keys(packagesOf(unpacked.metafile)).some((name) => name.startsWith('@credo-ts'))
  const bytes = sizeOf(unpacked.files)
  return [
    unpacked.name,
    bytes,
    kib(bytes),
    kib(sizeOf(filesAtStart(unpacked))),
    kib(unpacked.zipped.length),
    credo ? 'yes' : 'no',
  ]
}

export const measureSizes = async (): Promise<void> => {
  const unpacked = await unpackFunctions(FUNCTIONS)
  const columns = ['function', 'bytes', 'KiB', 'read at start, KiB', 'zip, KiB', 'Credo']
  const rows = [...unpacked.functions.values()].map(toRow)
  printTable('Size of each function, minified', columns, rows)
  await unpacked.remove()
}
