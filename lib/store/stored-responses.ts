/** Responses that are stored to be given again. One that is too large for an item lies in pieces in the item's partition. */
import { defineItem, type Reader } from './item.ts'
import { integer, optional, packedText } from './item-fields.ts'
import { type Address, address } from './keys.ts'
import type { Item } from './table.ts'

/** In bytes: an item may have 400 KB. */
const PIECE = 300 * 1024

/** Number of pieces, if the item does not have the response itself. */
export const piecesField = optional(integer())

const pieceItem = defineItem(
  'answer-piece',
  ({ markPk, number }: { markPk: string; number: number }) => address(markPk, String(number)),
  { text: packedText(), expiresAt: integer() },
)

interface StoredResponse {
  /** Empty if there are pieces. */
  answer: string
  pieces?: number | undefined
}

/** No piece begins within a character. */
const split = (text: string): string[] => {
  const bytes = Buffer.from(text)
  const texts: string[] = []
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = Math.min(start + PIECE, bytes.length)
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
    texts.push(bytes.toString('utf8', start, end))
  }
  return texts
}

/** What the item at an address has of a response, and the items of its pieces. */
export const storedResponse = (
  { pk: markPk }: Address,
  response: string,
  expiresAt: number,
): { stored: StoredResponse; pieces: Item[] } => {
  const texts = split(response)
  if (texts.length <= 1) return { stored: { answer: response }, pieces: [] }
  const pieces = texts.map((text, index) => pieceItem.encode({ markPk, number: index + 1, text, expiresAt }))
  return { stored: { answer: '', pieces: pieces.length }, pieces }
}

/** The whole response; undefined if it expires while it is read. */
export const wholeResponse = async (
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
