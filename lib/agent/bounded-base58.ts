/** Bounds Credo's base58: it takes quadratic time, and other agents choose the length of their keys and DIDs. */
import { CredoError, MultiBaseEncoder, TypedArrayEncoder } from '@credo-ts/core'

/** Bytes or characters of a key. An RSA key of 4,096 bits has 526 bytes; 1,024 take 5 ms. */
const MAX_KEY = 1_024

/** Characters of multibase. A did:peer:4 contains its whole document, about 1,000 characters; 4,096 take 10 to 20 ms. */
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
 * Bounds the conversion of every key and DID that Credo reads or writes, whether from a message, an attachment or a document of the web: all of
 * Credo's calls look up the functions in these two classes.
 */
export const boundBase58 = (): void => {
  TypedArrayEncoder.fromBase58 = bounded(MAX_KEY, TypedArrayEncoder.fromBase58)
  TypedArrayEncoder.toBase58 = bounded(MAX_KEY, TypedArrayEncoder.toBase58)
  MultiBaseEncoder.decode = bounded(MAX_MULTIBASE, MultiBaseEncoder.decode)
  MultiBaseEncoder.encode = bounded(MAX_MULTIBASE, MultiBaseEncoder.encode)
}
