/**
 * Checks revealed values: text, encoding and the value in the sub-proof must be equal. The library compares only the
 * last two. `007`, `+7` and `7` may be encoded as the same number, so a verifier cannot tell which was signed.
 */
import { commonName } from '../../../../records/anoncreds-objects.ts'
import { isEncodingOf } from '../values/index.ts'
import { type Assignments, PresentationError, quoted, sameNames } from './assignments.ts'
import type { Presentation } from './presentation.ts'

/** Throws `PresentationError`. */
export const assertRevealedValues = ({ attributes }: Assignments, { proof: { proofs } }: Presentation): void => {
  for (const { referent, values } of attributes)
    for (const { raw, encoded } of values.values())
      if (!isEncodingOf(raw, encoded))
        throw new PresentationError(`the encoding of ${quoted(referent)} does not match its value`)
  for (const [index, { primary_proof }] of proofs.entries()) {
    const revealedAttributes = attributes.filter(({ subProof }) => subProof === index)
    const expected = revealedAttributes.flatMap(({ values }) =>
      [...values].map(([name, { encoded }]) => keyOf(name, encoded)),
    )
    const revealed = Object.entries(primary_proof.eq_proof.revealed_attrs).map(([name, value]) => keyOf(name, value))
    if (!sameNames([...new Set(expected)], revealed))
      throw new PresentationError('the values in requested_proof are not those that a credential reveals')
  }
}

const keyOf = (name: string, encoded: string): string => JSON.stringify([commonName(name), encoded])
