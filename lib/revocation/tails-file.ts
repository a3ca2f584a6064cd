/** Tails files of revocation registries, stored in pieces, immutable, named by their hashes. */
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import type { Owner } from '../records/owners.ts'
import { defineItem } from '../store/item.ts'
import { bytes, integer } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'
import { type Item, queryAll } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** An item has at most 400 KB, including the names of its attributes. */
const MAX_PIECE = 390 * 1024

/** The pieces of a tails file. It belongs to no tenant: its name is its hash. */
const tailsPartition = (hash: string): string => `@tails|${digest(hash)}`

/** Of the record of a registry's definition. */
const tailsOf = ({ value: { revocationRegistryDefinition } }: Owner): string[] => {
  const { tailsHash } = Object(Object(revocationRegistryDefinition).value)
  return typeof tailsHash === 'string' ? [tailsPartition(tailsHash)] : []
}

export const tailsPieceItem = defineItem(
  'tails-piece',
  ({ hash, piece }: { hash: string; piece: number }) => address(tailsPartition(hash), String(piece).padStart(4, '0')),
  {
    content: bytes(),
    /** Number of pieces. */
    pieces: integer(),
  },
  { AnonCredsRevocationRegistryDefinitionRecord: tailsOf },
)

/**
 * Adds a tails file to the unit of work. `hash`: SHA-256 in base58 (`tailsHash` of a registry's definition). The commit
 * fails if the file exists: tails are random, so no two registries have the same.
 */
export const addTailsFile = (unit: UnitOfWork, hash: string, content: Uint8Array): void => {
  const pieces = Math.ceil(content.byteLength / MAX_PIECE)
  for (let piece = 0; piece < pieces; piece++) {
    const part = content.subarray(piece * MAX_PIECE, (piece + 1) * MAX_PIECE)
    unit.create(tailsPieceItem.encode({ hash, piece, pieces, content: part }))
  }
}

/** The tails file with a hash, if any. Throws `store.unavailable`. */
export const readTailsFile = async (
  hash: string,
  read: (partition: string) => Promise<Item[]> = queryAll,
): Promise<Buffer | undefined> => {
  const pieces = (await read(tailsPartition(hash))).map(tailsPieceItem.decode)
  const [first] = pieces
  return first === undefined || pieces.length !== first.pieces
    ? undefined
    : Buffer.concat(pieces.map(({ content }) => content))
}

/** Deletes a tails file, if it exists, in the unit of work. */
export const removeTailsFile = async (unit: UnitOfWork, hash: string): Promise<void> => {
  const { pieces = 0 } = (await unit.load(tailsPieceItem, { hash, piece: 0 })) ?? {}
  for (let piece = 0; piece < pieces; piece++) unit.delete(tailsPieceItem.addressOf({ hash, piece }))
}

/** A cache of 32 MB, because unauthenticated callers may request a file repeatedly, at up to 320 read units. */
const cachedFiles = new Bounded<string, Buffer>(
  32 * 1024 * 1024,
  Number.POSITIVE_INFINITY,
  ({ byteLength }) => byteLength,
)

/** The tails file with a hash for a public request, from the cache if possible. Throws `resource.not_found`. */
export const requireTailsFile = async (hash: string): Promise<Buffer> => {
  const content = cachedFiles.get(hash) ?? (await readTailsFile(hash))
  if (content === undefined) throw new AgentError('resource.not_found', 'there is no such tails file')
  return cachedFiles.set(hash, content)
}
