/**
 * Stored responses, for repeated requests. One that is too large for its item is split into pieces in the same
 * partition.
 */
import { defineItem, type Reader } from './item.ts'
import { integer, optional, packedText } from './item-fields.ts'
import { type Address, address } from './keys.ts'
import type { Item } from './table.ts'

/** In bytes: an item may have 400 KB. */
const PIECE_BYTES = 300 * 1024

/** Number of pieces, if the response is split. */
export const piecesField = optional(integer())

const pieceItem = defineItem(
  'answer-piece',
  ({ markPk, number }: { markPk: string; number: number }) => address(markPk, String(number)),
  { text: packedText(), expiresAt: integer() },
  'expiry',
)

interface StoredResponse {
  /** Empty if there are pieces. */
  answer: string
  pieces?: number | undefined
}

/** Splits between characters. */
const split = (text: string): string[] => {
  const bytes = Buffer.from(text)
  const texts: string[] = []
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = Math.min(start + PIECE_BYTES, bytes.length)
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
    texts.push(bytes.toString('utf8', start, end))
  }
  return texts
}

/** The fields of the item at an address for a response, and the items of its pieces. */
export const splitResponse = (
  { pk: markPk }: Address,
  response: string,
  expiresAt: number,
): { stored: StoredResponse; pieces: Item[] } => {
  const texts = split(response)
  if (texts.length <= 1) return { stored: { answer: response }, pieces: [] }
  const pieces = texts.map((text, index) => pieceItem.encode({ markPk, number: index + 1, text, expiresAt }))
  return { stored: { answer: '', pieces: pieces.length }, pieces }
}

/** The whole response; undefined if it expires during the read. */
export const joinResponse = async (
  { pk: markPk }: Address,
  { answer, pieces = 0 }: StoredResponse,
  reader: Reader,
): Promise<string | undefined> => {
  let whole = answer
  for (let number = 1; number <= pieces; number++) {
    const piece = await reader.load(pieceItem, { markPk, number })
    if (piece === undefined) return undefined
    whole += piece.text
  }
  return whole
}
