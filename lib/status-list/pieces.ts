/** The bits of status lists, in pieces: a change writes one piece, and a missing piece means that all are valid. */
import type { IssuedStatus, StatusReference } from '../records/openid4vci.ts'
import { defineItem } from '../store/item.ts'
import { bytes, inKey, integer } from '../store/item-fields.ts'
import { address } from '../store/keys.ts'
import { addressOf, queryAll } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { ENTRIES } from './lists.ts'

/** Token Status List, section 7.1. */
const VALUES = { valid: 0, revoked: 1, suspended: 2 } as const satisfies Record<IssuedStatus, number>

/** Bits of a status. */
export const BITS = 2
const PIECE_BYTES = 512
const ALL_VALID = new Uint8Array(PIECE_BYTES)
const PIECE_ENTRIES = (PIECE_BYTES * 8) / BITS

/** Pieces that one transaction writes beside the session and a job: DynamoDB takes 100 items. */
const MAX_PIECES = 90
/** Of a transaction that changes a piece: many credentials may be revoked concurrently. */
const MAX_REPETITIONS = 8

/** Partition of the pieces of a status list. */
const piecesPartition = (tenant: string, listId: string): string => `${tenant}|status-list|${listId}`

interface PieceKey {
  tenant: string
  listId: string
  piece: number
}

export const pieceItem = defineItem(
  'status-piece',
  ({ tenant, listId, piece }: PieceKey) => address(piecesPartition(tenant, listId), String(piece).padStart(2, '0')),
  { piece: inKey('sk', { ...integer(), read: ({ S }) => Number(S) }), bits: bytes() },
  { 'status-list': ({ tenant, value }) => [piecesPartition(tenant, String(value.listId))] },
)

/** All bits of a list (section 4.1). */
export const readBits = async (tenant: string, listId: string): Promise<Uint8Array> => {
  const all = new Uint8Array((ENTRIES * BITS) / 8)
  for (const { piece, bits } of (await queryAll(piecesPartition(tenant, listId))).map(pieceItem.decode))
    all.set(bits, piece * PIECE_BYTES)
  return all
}

const setStatus = (bits: Uint8Array, index: number, status: IssuedStatus): void => {
  const bit = index * BITS
  const byte = (bit >> 3) % PIECE_BYTES
  bits[byte] = ((bits[byte] ?? 0) & ~(3 << (bit % 8))) | (VALUES[status] << (bit % 8))
}

/**
 * Sets the statuses of credentials with the unit of work, which writes the changed pieces, and conflicts with any other
 * change of them. Returns the number of pieces that exceed one transaction.
 */
export const setStatuses = async (
  unit: UnitOfWork,
  references: readonly StatusReference[],
  status: IssuedStatus,
): Promise<number> => {
  const { tenant } = unit
  unit.minRetries = MAX_REPETITIONS
  const pieces = new Map<string, { key: PieceKey; indexes: number[] }>()
  for (const { listId, indexes } of references)
    for (const index of indexes) {
      const key = { tenant, listId, piece: Math.floor(index / PIECE_ENTRIES) }
      const name = JSON.stringify(pieceItem.addressOf(key))
      pieces.set(name, { key, indexes: [...(pieces.get(name)?.indexes ?? []), index] })
    }
  const items = await unit.getAll([...pieces.values()].map(({ key }) => pieceItem.addressOf(key)))
  const stored = new Map(items.map((item) => [JSON.stringify(addressOf(item)), pieceItem.decode(item).bits]))
  let changed = 0
  for (const [name, { key, indexes }] of pieces) {
    const before = stored.get(name)
    const bits = Uint8Array.from(before ?? ALL_VALID)
    for (const index of indexes) setStatus(bits, index, status)
    if (Buffer.compare(bits, before ?? ALL_VALID) === 0 || ++changed > MAX_PIECES) continue
    const item = pieceItem.encode({ ...key, bits })
    if (before === undefined) unit.create(item)
    else unit.replace(item, pieceItem.attributes({ bits: before }))
  }
  return Math.max(0, changed - MAX_PIECES)
}
