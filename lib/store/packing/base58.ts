/**
 * base58btc (https://datatracker.ietf.org/doc/html/draft-msporny-base58-03) for up to some thousand characters. A
 * number is split into halves down to nine characters, so that most operations are on small numbers.
 */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const CODES = Buffer.from(ALPHABET)
const DIGITS = new Uint8Array(256)
for (const [digit, code] of CODES.entries()) DIGITS[code] = digit

/** 58 ** 9 is the highest power that a number represents exactly. */
const CHUNK = 9

/** 58 ** 9, 58 ** 18, 58 ** 36 and so on. */
const powers: bigint[] = [58n ** BigInt(CHUNK)]

const powerAt = (level: number): bigint => {
  for (let last = powers.at(-1) ?? 0n; powers.length <= level; last = powers.at(-1) ?? 0n) powers.push(last * last)
  return powers[level] ?? 0n
}

/** The level whose power splits a text of this length in halves; -1 for a text of one chunk. */
const levelOf = (length: number): number => {
  let level = -1
  for (let size = CHUNK; size < length; size *= 2) level++
  return level
}

/**
 * The bytes of a text of base58 characters that does not begin with `1`. Takes quadratic time, so callers limit the
 * length.
 */
export const fromBase58 = (text: string): Buffer => {
  const hex = numberOf(text, 0, text.length, levelOf(text.length)).toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

const numberOf = (text: string, from: number, to: number, level: number): bigint => {
  if (level < 0) return BigInt(chunkValue(text, from, to))
  const middle = to - CHUNK * 2 ** level
  if (middle <= from) return numberOf(text, from, to, level - 1)
  return numberOf(text, from, middle, level - 1) * powerAt(level) + numberOf(text, middle, to, level - 1)
}

const chunkValue = (text: string, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) value = value * 58 + (DIGITS[text.charCodeAt(at)] ?? 0)
  return value
}

/** The text of bytes that do not begin with 0. Takes quadratic time. */
export const toBase58 = (bytes: Buffer): string => {
  // A character has log2(58) bits, 5.86.
  const level = levelOf(Math.ceil((bytes.length * 8) / 5.85))
  const characters = Buffer.alloc(CHUNK * 2 ** (level + 1))
  write(BigInt(`0x${bytes.toString('hex')}`), level, characters, characters.length)
  return characters.toString(
    'latin1',
    characters.findIndex((character) => character !== CODES[0]),
  )
}

/** Writes the characters that end at `to`. */
const write = (value: bigint, level: number, into: Buffer, to: number): void => {
  if (level < 0) {
    writeChunk(Number(value), into, to)
    return
  }
  const power = powerAt(level)
  const high = value / power
  write(high, level - 1, into, to - CHUNK * 2 ** level)
  write(value - high * power, level - 1, into, to)
}

const writeChunk = (value: number, into: Buffer, to: number): void => {
  let rest = value
  for (let at = to - 1; at >= to - CHUNK; at--) {
    const next = Math.floor(rest / 58)
    into[at] = CODES[rest - next * 58] ?? 0
    rest = next
  }
}
