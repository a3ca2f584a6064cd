/** Tails files of revocation registries in the table: in pieces, written once, named by their hashes. */
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { tailsPartition, tailsPieceAddress } from '../store/anoncreds-keys.ts'
import { defineItem } from '../store/item.ts'
import { bytes, integer } from '../store/item-fields.ts'
import { type Item, queryAll } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** An item has at most 400 KB, and its attributes' names. */
const MAX_PIECE = 390 * 1024

const pieceItem = defineItem('tails-piece', tailsPieceAddress, {
  content: bytes(),
  /** How many there are. */
  pieces: integer(),
})

/**
 * Adds a tails file to the unit of work. `hash`: SHA-256 in base58, as `tailsHash` of a registry's definition. The commit fails where a
 * file of this hash is there: tails are random, so that no two registries have the same.
 */
export const addTailsFile = (unit: UnitOfWork, hash: string, content: Uint8Array): void => {
  const pieces = Math.ceil(content.byteLength / MAX_PIECE)
  for (let piece = 0; piece < pieces; piece++) {
    const part = content.subarray(piece * MAX_PIECE, (piece + 1) * MAX_PIECE)
    unit.create(pieceItem.encode({ hash, piece, pieces, content: part }))
  }
}

/** The tails file of a hash, undefined where there is none. Throws `store.unavailable`. */
export const readTailsFile = async (
  hash: string,
  read: (partition: string) => Promise<Item[]> = queryAll,
): Promise<Buffer | undefined> => {
  const pieces = (await read(tailsPartition(hash))).map(pieceItem.decode)
  const [first] = pieces
  return first === undefined || pieces.length !== first.pieces
    ? undefined
    : Buffer.concat(pieces.map(({ content }) => content))
}

/** Removes a tails file, if there is one, with the unit of work. */
export const removeTailsFile = async (unit: UnitOfWork, hash: string): Promise<void> => {
  const { pieces = 0 } = (await unit.load(pieceItem, { hash, piece: 0 })) ?? {}
  for (let piece = 0; piece < pieces; piece++) unit.delete(pieceItem.addressOf({ hash, piece }))
}

/** Anybody may ask for a file again and again, and each is up to 320 read units: 32 MB are kept. */
const kept = new Bounded<string, Buffer>(32 * 1024 * 1024, Number.POSITIVE_INFINITY, ({ byteLength }) => byteLength)

/** The tails file of a hash for whoever asks for it, out of memory where this process has read it before. Throws `resource.not_found`. */
export const requireTailsFile = async (hash: string): Promise<Buffer> => {
  const content = kept.get(hash) ?? (await readTailsFile(hash))
  if (content === undefined) throw new AgentError('resource.not_found', 'there is no such tails file')
  return kept.set(hash, content)
}
