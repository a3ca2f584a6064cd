/** Credo's base58, bounded: it takes time that is quadratic in the length, and others choose the length of their keys and DIDs. */
import { CredoError, MultiBaseEncoder, TypedArrayEncoder } from '@credo-ts/core'

/** An RSA key of 4,096 bits has 526 bytes; 1,024 take 5 ms. */
const MAX_KEY = 1_024

/** A did:peer:4 carries its whole document: some 1,000 characters; 4,096 take 10 to 20 ms. */
const MAX_MULTIBASE = 4_096

/** The same function, which throws a CredoError for more than `max` characters or bytes. */
const bounded =
  <Of extends { length: number }, Rest extends unknown[], Result>(
    max: number,
    convert: (of: Of, ...rest: Rest) => Result,
  ): ((of: Of, ...rest: Rest) => Result) =>
  (of, ...rest) => {
    if (of.length > max) throw new CredoError(`base58 of more than ${max} characters or bytes is not converted`)
    return convert(of, ...rest)
  }

/**
 * Bounds what every key and DID goes through on its way into and out of Credo, whether it came in a message, an attachment or a
 * document from the web. All of Credo's calls look the functions up in these two classes.
 */
export const boundBase58 = (): void => {
  TypedArrayEncoder.fromBase58 = bounded(MAX_KEY, TypedArrayEncoder.fromBase58)
  TypedArrayEncoder.toBase58 = bounded(MAX_KEY, TypedArrayEncoder.toBase58)
  MultiBaseEncoder.decode = bounded(MAX_MULTIBASE, MultiBaseEncoder.decode)
  MultiBaseEncoder.encode = bounded(MAX_MULTIBASE, MultiBaseEncoder.encode)
}
